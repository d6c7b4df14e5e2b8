#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace siltstone::tools {

// The words of a line of the shell.
//
//   put "a key" "line one\nline two" \x00\xff   ->  {put, a key, line one<newline>line two, <two bytes>}
//
// Format: words lie between spaces and tabs. Double quotes keep spaces and tabs together; single quotes do
// too, and take a backslash as it is. Outside of single quotes the escapes \\ \" \' \t \n \r \0 \xNN and
// "\ " (a space) stand for one byte each. A # where a word could begin starts a comment.
//
// Errors: InvalidArgument for a quote without its end or an unknown escape.
absl::StatusOr<std::vector<std::string>> SplitShellWords(std::string_view line);

}  // namespace siltstone::tools
