#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "engine/wal/log_format.h"
#include "engine/wal/log_window.h"

// Judges where a log ends: what the first offset without a valid record means (FORMAT.md, L14-L17).
//
// Three things must not be mixed up: a tail that was never written (zeroes), one whose writes a
// kill or a power cut interrupted (discarded, nothing acknowledged is in it), and damage to what
// was once durable (refused). A kill leaves a prefix of the last record; a power cut leaves any
// subset of the 512-byte sectors that were not synced, the others still zero. Both leave all zero
// some sector part of the record, or its last byte; damage seldom does. And a later record that
// says it was written after a sync of these very bytes proves damage.

namespace siltstone {

enum class LogEnd {
  kClean,    // zeroes only
  kTorn,     // an interrupted write: discard
  kDamaged,  // refuse
};

struct TailVerdict {
  LogEnd end = LogEnd::kClean;
  // Behind the last byte that is not zero; the record's own offset when all are.
  uint64_t end_of_bytes = 0;
  // kDamaged: the offset of a later record that proves it, and the synced offset it carries; 0:
  // none does.
  uint64_t witness_offset = 0;
  uint64_t witness_synced_offset = 0;
};

// Judges the bytes from `offset`, where `check` says no valid record is, to the window's end.
// Errors: those of the file alone. Cost: one read of the rest of the file, two unless all of it
// is zero.
absl::StatusOr<TailVerdict> JudgeTail(LogWindow& window, const TableId& log, uint64_t offset,
                                      const RecordCheck& check);

// Reads and checks the record at `offset`, a multiple of 8 at most the window's limit. A fault is
// in the result; an error is one of the file. Nothing is allocated for a record before its
// header, its place within the file and its last byte have been checked. With a valid record,
// *bytes is the whole of it, until the window is used again.
absl::StatusOr<RecordCheck> ReadRecord(LogWindow& window, const TableId& log, uint64_t offset,
                                       std::span<char>* bytes);

// Calls `visit` for each valid record header at a multiple of 8 in [from, to), in order, until it
// returns false. It must not use the window. Returns the errors of the file.
absl::Status ScanRecordHeaders(LogWindow& window, const TableId& log, uint64_t from, uint64_t to,
                               absl::FunctionRef<bool(uint64_t offset, const RecordHeader&)> visit);

}  // namespace siltstone
