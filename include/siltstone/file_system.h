#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/export.h"

namespace siltstone {

// Where every byte of a database goes. Implement it to keep databases elsewhere, or to inject faults.
//
// Three kinds of file are kept apart, because their needs differ and because a store of objects can offer
// the first and the third, but not the second:
//   * tables: created whole under a new name, read by ranges, deleted; never renamed, never appended to
//     after Finish;
//   * logs: appended to and synced; preallocated with zeroes;
//   * named files (CURRENT, the secrets): small, replaced atomically.
//
// Errors, for every call:
//   NotFound           the file or directory is not there
//   FailedPrecondition a file stands where a directory is needed
//   AlreadyExists      it is there, and must not be
//   PermissionDenied   no permission, or a read-only file system
//   ResourceExhausted  no space, quota, or no file descriptors
//   Aborted            the lock is held by somebody else
//   OutOfRange         a read past the end of the file
//   Unavailable        any other input/output error
// Messages name the operation, the path and the cause, e.g. "cannot append to /db/000001-000004.log:
// No space left on device".
//
// A file whose Append, Allocate, Sync or Finish failed is *poisoned*: every later call on it fails with the
// first error. The kernel may have marked unwritten pages clean, so a second sync that succeeds proves
// nothing; no implementation may retry one.
//
// Thread safety: a FileSystem is thread-safe. Each file class says what it is.

// One read of a batch.
struct ReadRequest {
  uint64_t offset = 0;
  std::span<char> out;
  absl::Status status;  // set by ReadBatch
};

// A file that is read at any offset. Thread-safe; reads do not lock.
class SILTSTONE_EXPORT RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;

  // Fills all of `out` from `offset`; short reads are continued. OutOfRange, with `out` undefined, when the
  // file ends before.
  virtual absl::Status Read(uint64_t offset, std::span<char> out) const = 0;

  // Many reads, in whatever order is fastest; each request gets its own status. The default does them one
  // by one.
  virtual void ReadBatch(std::span<ReadRequest> requests) const;

  // Size when the file was opened.
  virtual uint64_t size_bytes() const = 0;
};

// A table that is being written. Thread-compatible.
class SILTSTONE_EXPORT TableFile {
 public:
  // Without Finish the file is left as it is, and is garbage.
  virtual ~TableFile() = default;

  virtual absl::Status Append(std::string_view bytes) = 0;

  // Makes all bytes durable and closes the file. (The name needs SyncDirectory as well.)
  virtual absl::Status Finish() = 0;
};

// A log that is being written. Thread-compatible, but that Sync may run beside nothing else.
class SILTSTONE_EXPORT LogFile {
 public:
  virtual ~LogFile() = default;

  // Writes at the end of what was appended so far (not at the end of the allocation).
  virtual absl::Status Append(std::string_view bytes) = 0;

  // Makes everything appended, and the size of the file, durable.
  virtual absl::Status Sync() = 0;

  // Makes the file at least `size_bytes` long, filled up with zeroes. Durable after the next Sync.
  virtual absl::Status Allocate(uint64_t size_bytes) = 0;

  virtual absl::Status Close() = 0;
};

// Held until it is destroyed, or until the process ends.
class SILTSTONE_EXPORT FileLock {
 public:
  virtual ~FileLock() = default;
};

struct DirectoryEntry {
  std::string name;  // without the directory
  uint64_t size_bytes = 0;
  bool is_directory = false;
};

class SILTSTONE_EXPORT FileSystem {
 public:
  virtual ~FileSystem() = default;

  // A new, empty table; AlreadyExists when the path is taken.
  virtual absl::StatusOr<std::unique_ptr<TableFile>> CreateTable(std::string_view path) = 0;
  virtual absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenTable(std::string_view path) = 0;

  // A new log of `allocated_bytes` zeroes; AlreadyExists when the path is taken.
  virtual absl::StatusOr<std::unique_ptr<LogFile>> CreateLog(std::string_view path,
                                                             uint64_t allocated_bytes) = 0;
  virtual absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenLog(std::string_view path) = 0;

  // Makes `path` hold exactly `contents`, atomically and durably: after a crash the old or the new contents
  // are there, whole. `is_secret`: readable by the owner alone (mode 0600).
  virtual absl::Status ReplaceFile(std::string_view path, std::string_view contents,
                                   bool is_secret = false) = 0;
  // The whole contents; meant for small files.
  virtual absl::StatusOr<std::string> ReadFile(std::string_view path) = 0;

  virtual absl::Status DeleteFile(std::string_view path) = 0;

  // Creates the last component of `path`; OK when it is a directory already.
  virtual absl::Status CreateDirectory(std::string_view path) = 0;
  // Makes creations and deletions in the directory durable.
  virtual absl::Status SyncDirectory(std::string_view path) = 0;
  // In no order, without "." and "..".
  virtual absl::StatusOr<std::vector<DirectoryEntry>> ListDirectory(std::string_view path) = 0;

  // An exclusive lock on `path`, which is created if need be. Aborted, with a message that names the holder
  // (process id and, for this process, that it is this one), when it is held already, by this process too.
  virtual absl::StatusOr<std::unique_ptr<FileLock>> LockFile(std::string_view path) = 0;
};

// The file system of the machine. Shared by all, never null.
SILTSTONE_EXPORT std::shared_ptr<FileSystem> PosixFileSystem();

// A new, empty file system in memory, for tests and caches. It has the directory "/" only.
SILTSTONE_EXPORT std::shared_ptr<FileSystem> NewMemoryFileSystem();

}  // namespace siltstone
