#pragma once

#include <vector>

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that the shell runs, too, in the order of the help.
const std::vector<Verb>& ShellVerbs();

// Those and the shell: what the command line takes.
const std::vector<Verb>& AllVerbs();

}  // namespace siltstone::tools
