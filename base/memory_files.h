#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "siltstone/file_system.h"

#include "base/mutex.h"

// The files of the file system in memory. Contracts: siltstone/file_system.h.

namespace siltstone {

// The bytes of a file. It lives as long as its name or an open file needs it. Thread-safe, but for bytes()
// after the file was finished: those never change again and are read without the lock.
class MemoryFile {
 public:
  void WriteAt(uint64_t offset, std::string_view bytes) {
    MutexLock lock(mutex_);
    const size_t end = static_cast<size_t>(offset) + bytes.size();
    if (end > bytes_.size()) bytes_.resize(end);
    if (!bytes.empty()) std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
  }
  void ExtendTo(uint64_t size_bytes) {
    MutexLock lock(mutex_);
    if (size_bytes > bytes_.size()) bytes_.resize(static_cast<size_t>(size_bytes));
  }
  void Finish() {
    MutexLock lock(mutex_);
    finished_ = true;
  }

  bool finished() const {
    MutexLock lock(mutex_);
    return finished_;
  }
  uint64_t size_bytes() const {
    MutexLock lock(mutex_);
    return bytes_.size();
  }

  // False when the file ends before.
  bool Read(uint64_t offset, std::span<char> out) const {
    MutexLock lock(mutex_);
    return CopyOut(bytes_, offset, out);
  }
  // REQUIRES: finished() was true.
  bool ReadFinished(uint64_t offset, std::span<char> out) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return CopyOut(bytes_, offset, out);
  }

 private:
  static bool CopyOut(const std::string& bytes, uint64_t offset, std::span<char> out) {
    if (out.empty()) return true;
    if (offset > bytes.size() || out.size() > bytes.size() - offset) return false;
    std::memcpy(out.data(), bytes.data() + offset, out.size());
    return true;
  }

  mutable Mutex mutex_;
  std::string bytes_ ABSL_GUARDED_BY(mutex_);
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

std::unique_ptr<RandomAccessFile> OpenMemoryFile(std::string path,
                                                 std::shared_ptr<MemoryFile> file);
std::unique_ptr<TableFile> WriteMemoryTable(std::string path, std::shared_ptr<MemoryFile> file);
std::unique_ptr<LogFile> WriteMemoryLog(std::string path, std::shared_ptr<MemoryFile> file);

}  // namespace siltstone
