#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that tell about a database: info and stats; filters has a file of its own.
const Verb& InfoVerb();
const Verb& StatsVerb();

}  // namespace siltstone::tools
