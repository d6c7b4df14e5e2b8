#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

// System calls of files that go on after interruptions and short transfers. Functions that return int give
// 0 or an errno.

namespace siltstone {

// Owns an open file; closes it without telling of errors. Thread-compatible.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // Also when already closed.
  int Close();

 private:
  int number_;
};

// Always with O_CLOEXEC. `mode` is for files that are created. Negative number and errno set on error.
FileDescriptor OpenDescriptor(const std::string& path, int flags, mode_t mode = 0644);

// All of `bytes`, at `offset`.
int WriteFully(int descriptor, std::string_view bytes, uint64_t offset);

// All of `out` from `offset`; `*read_bytes` is less than its size at the end of the file only.
int ReadFully(int descriptor, std::span<char> out, uint64_t offset, size_t* read_bytes);

// fsync, fdatasync. Never called a second time after a failure (see FilePoison).
int SyncDescriptor(int descriptor);
int SyncDescriptorData(int descriptor);

}  // namespace siltstone
