#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "tools/input.h"

namespace siltstone::tools {

// How keys lie in an input, one after the other.
enum class KeyForm {
  kLines,     // a line each, byte for byte; an empty line is the empty key
  kNulEnded,  // the same with NUL in place of the newline
  kHexLines,  // a line of hex digits each
};

// The keys of an input.
//
//   KeyLines keys(input, KeyForm::kLines);
//   while (...(more = keys.Next(&key)).ok() && *more) ...
//
// Thread safety: single-threaded.
class KeyLines {
 public:
  // `input` must outlive the object.
  KeyLines(Input& input, KeyForm form) : input_(input), form_(form) {}

  // False at the end. Errors: those of Input::ReadLine, and DataLoss, with its place, for a line
  // that is not hex.
  absl::StatusOr<bool> Next(std::string* key);

 private:
  Input& input_;
  const KeyForm form_;
};

}  // namespace siltstone::tools
