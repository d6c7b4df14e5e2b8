#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace siltstone::tools {

// Where the shell's lines come from. Single-threaded.
class LineSource {
 public:
  virtual ~LineSource() = default;

  // The next line without its newline; false at the end. Cancelled: the line was given up by SIGINT.
  virtual absl::StatusOr<bool> Next(std::string* line) = 0;
};

// Lines of stdin as they are.
std::unique_ptr<LineSource> NewStdinLines();

// Lines edited on the terminal, with a prompt, completion of the first word among `verbs`, and a history in
// ~/.kvtool_history, which is kept only where that file can be written.
std::unique_ptr<LineSource> NewTerminalLines(std::string prompt, std::vector<std::string> verbs);

// The one of `verbs` that alone begins with `start`, or what all that do begin with; empty: none does.
std::string CompleteVerb(std::string_view start, const std::vector<std::string>& verbs);

}  // namespace siltstone::tools
