#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that tell about a database: info, stats, filters, verify.
const Verb& InfoVerb();
const Verb& StatsVerb();
const Verb& FiltersVerb();
const Verb& VerifyVerb();

}  // namespace siltstone::tools
