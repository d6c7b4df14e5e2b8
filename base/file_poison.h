#pragma once

#include "absl/status/status.h"

namespace siltstone {

// The first error of a file that is being written. Once it is there, every later call on the file answers
// with it and touches nothing: a second sync that succeeds would prove nothing about the bytes that
// the first one lost. Thread-compatible.
class FilePoison {
 public:
  // OK until an error was recorded.
  const absl::Status& status() const { return first_error_; }

  // Keeps `status` when it is the first error; returns it.
  absl::Status Record(absl::Status status) {
    if (first_error_.ok()) first_error_ = status;
    return status;
  }

 private:
  absl::Status first_error_;
};

}  // namespace siltstone
