#pragma once

#include <vector>

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that run against a database, in the order of the help. The shell runs these.
const std::vector<Verb>& DatabaseVerbs();

// Those and the shell: what the command line takes.
const std::vector<Verb>& AllVerbs();

}  // namespace siltstone::tools
