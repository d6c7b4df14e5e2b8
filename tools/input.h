#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace siltstone::tools {

// A file or stdin, read from front to back.
//
// Errors: NotFound and PermissionDenied from Open; Unavailable when a read fails; Cancelled when
// SIGINT comes while it waits.
//
// Thread safety: single-threaded. Cost: a buffer of 64 KiB, and the line or piece asked for.
class Input {
 public:
  // Longer lines are refused with DataLoss: two of the longest values an escaped line could hold.
  static constexpr size_t kMaxLineBytes = size_t{1} << 31;

  // `path` "-" is stdin.
  static absl::StatusOr<std::unique_ptr<Input>> Open(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // The next line without its `ending`; false at the end. A last line without one counts.
  absl::StatusOr<bool> ReadLine(std::string* line, char ending = '\n');
  // Appends up to `size_bytes` bytes to `out`; fewer only at the end. Memory grows with what is
  // there, not with what was asked for.
  absl::Status Read(uint64_t size_bytes, std::string* out);
  // The next bytes without taking them; fewer than `size_bytes` (at most 64 KiB) only at the end.
  absl::StatusOr<std::string_view> Peek(size_t size_bytes);
  absl::Status ReadAll(std::string* out) { return Read(UINT64_MAX, out); }

  // A file that can be read twice.
  bool is_regular_file() const { return is_regular_file_; }
  // Back to the front. REQUIRES: is_regular_file().
  absl::Status Rewind();
  bool is_terminal() const;

  const std::string& name() const { return name_; }      // the path, or "stdin"
  uint64_t offset() const { return offset_; }            // of the next byte
  uint64_t line_number() const { return line_number_; }  // of the line read last, from 1
  // " in NAME at line N": the place of the line read last, for messages.
  std::string LinePlace() const;

 private:
  Input(int fd, std::string name, bool is_regular_file);

  // Reads more into the buffer; false at the end.
  absl::StatusOr<bool> Fill();
  std::string_view buffered() const { return std::string_view(buffer_).substr(position_); }
  void Take(size_t size_bytes);

  const int fd_;
  const std::string name_;
  const bool is_regular_file_;
  std::string buffer_;
  size_t position_ = 0;  // of the next byte in buffer_
  uint64_t offset_ = 0;
  uint64_t line_number_ = 0;
};

}  // namespace siltstone::tools
