#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

namespace siltstone {

// A view that moves over the bytes of a log file [0, limit). Logs may be larger than memory: the
// file is read in chunks, and a single range larger than a chunk is read straight into a buffer
// of its size.
//
// Thread safety: thread-compatible.
// Cost: one file read a chunk; no allocation while ranges stay below kChunkBytes.
class LogWindow {
 public:
  static constexpr size_t kChunkBytes = size_t{256} << 10;

  // `limit` is at most the size of the file.
  LogWindow(std::unique_ptr<RandomAccessFile> file, uint64_t limit);

  // The bytes [offset, offset + count), until the next call; they may be changed (unmasked) in
  // place, and are read from the file again after that only following Forget. REQUIRES: the range
  // is within [0, limit). Errors: those of the file, and ResourceExhausted when there is no
  // memory.
  absl::StatusOr<std::span<char>> View(uint64_t offset, uint64_t count);

  // The bytes from `offset` to the end of what one read gives; not empty unless offset == limit.
  absl::StatusOr<std::span<char>> ViewChunk(uint64_t offset);

  // Makes the next View read the file anew: somebody may be writing it.
  void Forget() { held_bytes_ = 0; }

  uint64_t limit() const { return limit_; }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  const uint64_t limit_;
  std::unique_ptr<char[]> buffer_;
  size_t buffer_bytes_ = 0;
  uint64_t held_offset_ = 0;  // the buffer's first held_bytes_ bytes stand at held_offset_
  size_t held_bytes_ = 0;
};

}  // namespace siltstone
