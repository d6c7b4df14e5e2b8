#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that tell about a database: info, stats, verify; filters has a file of its own.
const Verb& InfoVerb();
const Verb& StatsVerb();
const Verb& VerifyVerb();

}  // namespace siltstone::tools
