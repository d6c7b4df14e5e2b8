#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

#include "engine/wal/log_format.h"

namespace siltstone {

// Writes a log (FORMAT.md, "Log").
//
//   auto log = LogWriter::Create(file_system, {.database_id = id, .epoch = 1, .number = 7},
//                                "/db/000001-000000000007.log", 64 << 20);
//   status = (*log)->Append(payload, first_sequence);
//   status = (*log)->Sync();
//
// Invariants:
//   I1. A record is exactly one LogFile::Append, so that a killed process leaves a prefix of it
//       at most.
//   I2. The file is at least as long, durably, as anything in the log says: it is made longer and
//       synced before the allocation record that says so is written.
//   I3. Behind the last record there is always room for an allocation record.
//   I4. Once a call on the file has failed, nothing is written any more: every later call returns
//       the first error.
// A log is sealed (its size put into its successor's header or the MANIFEST) only after a Sync.
//
// Thread safety: thread-compatible.
// Cost: Append copies the payload once; one file append, and where the allocation is used up one
// Allocate, one file sync and one more append. Memory: one buffer of the largest recent record.
class LogWriter {
 public:
  // Creates the file at `path`, `allocated_bytes` long (or a little more), with its header, and
  // syncs it; the directory is the caller's to sync. Errors are those of the FileSystem;
  // AlreadyExists for a taken path.
  static absl::StatusOr<std::unique_ptr<LogWriter>> Create(FileSystem& file_system,
                                                           LogHeader header, std::string_view path,
                                                           uint64_t allocated_bytes);

  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Appends one data record. InvalidArgument, which does not poison, for a payload over
  // kMaxLogPayloadBytes; ResourceExhausted, neither, when there is no memory for the record.
  absl::Status Append(std::string_view payload, SequenceNumber first_sequence);

  // Makes every record appended so far durable.
  absl::Status Sync();

  // Closes the file, without a sync. Returns the first error, if there was one.
  absl::Status Close();

  // The first error, OK while there was none.
  const absl::Status& poisoned() const { return poisoned_; }

  // End of the last record whose append succeeded, also after a failure. (A record that failed
  // may stand behind it, whole or in part.)
  uint64_t size_bytes() const { return size_bytes_; }
  uint64_t good_size_bytes() const { return size_bytes_; }
  // Everything below is durable.
  uint64_t synced_bytes() const { return synced_bytes_; }
  uint64_t allocated_bytes() const { return allocated_bytes_; }
  const LogHeader& header() const { return header_; }

 private:
  LogWriter(std::unique_ptr<LogFile> file, const LogHeader& header);

  absl::Status AppendRecord(RecordType type, std::string_view payload,
                            SequenceNumber first_sequence);
  absl::Status Grow(uint64_t record_bytes);
  // A buffer of at least `bytes`, or null.
  char* Reserve(size_t bytes);
  absl::Status Poison(absl::Status status);

  const std::unique_ptr<LogFile> file_;
  const LogHeader header_;
  const TableId identity_;
  uint64_t size_bytes_ = kLogHeaderBytes;
  uint64_t synced_bytes_ = kLogHeaderBytes;
  uint64_t allocated_bytes_;
  absl::Status poisoned_;
  std::unique_ptr<char[]> buffer_;
  size_t buffer_bytes_ = 0;
};

}  // namespace siltstone
