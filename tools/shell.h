#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/exit_code.h"
#include "tools/line_source.h"

namespace siltstone::tools {

// Reads lines from `lines` and hands the words of each to `run` until the lines end or one says exit.
//
// `run` tells the user of what goes wrong itself and answers with the verdict; the shell goes on. `tell` tells
// of faults of a line that has no words.
//
// Returns the verdict on the first line that failed, without a message: a script whose lines come from a pipe
// learns that not all of them succeeded. Where the lines come from a person that knows already, it is Yes.
// "No" (an absent key) is an answer, and no failure.
struct ShellOptions {
  LineSource& lines;
  bool is_interactive = false;
  std::function<Verdict(std::vector<std::string> words)> run;
  std::function<void(const Verdict&)> tell;
};
Verdict RunShell(const ShellOptions& options);

}  // namespace siltstone::tools
