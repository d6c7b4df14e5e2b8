#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace siltstone::tools {

// The data that kvtool prints: a buffered, checked writer of one file descriptor, in practice stdout.
//
// The first error is kept and everything written after it is dropped, so that callers need to look only
// when they want to stop early (`ok`) and at the end (`Flush`).
//
// Thread safety: single-threaded.
class Output {
 public:
  // `fd` stays open and belongs to the caller.
  explicit Output(int fd);

  void Write(std::string_view bytes);

  // Writes what is buffered. Cancelled when SIGINT came while the reader was not reading.
  absl::Status Flush();

  bool ok() const { return status_.ok(); }
  // ResourceExhausted: no space; Unavailable: anything else.
  const absl::Status& status() const { return status_; }
  // The error is that nobody reads the other end of the pipe any more.
  bool reader_gone() const { return reader_gone_; }

  bool is_terminal() const { return is_terminal_; }
  // Characters a line of the terminal holds; 0 where it is no terminal or does not say.
  size_t width() const;

 private:
  const int fd_;
  const bool is_terminal_;
  bool reader_gone_ = false;
  std::string buffer_;
  absl::Status status_;
};

}  // namespace siltstone::tools
