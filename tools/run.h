#pragma once

#include <string>
#include <vector>

#include "tools/exit_code.h"

namespace siltstone::tools {

// The whole of kvtool but the process around it: understands `words` (the arguments without the program's
// name), runs the verb, prints data to stdout and everything else to stderr, and returns the exit code.
//
// `default_database`: $KVTOOL_DB, or empty.
ExitCode RunKvtool(std::vector<std::string> words, const std::string& default_database);

}  // namespace siltstone::tools
