#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

#include "engine/wal/log_format.h"
#include "engine/wal/log_tail.h"
#include "engine/wal/log_window.h"

namespace siltstone {

// What a log must be, from the MANIFEST or CURRENT; anything else is DataLoss.
struct LogExpectation {
  LogKind kind = LogKind::kWal;
  TableId database_id;  // zero: any
  uint64_t epoch = 0;
  uint64_t number = 0;
  // The valid records reach exactly to here; what stands behind is nobody's.
  std::optional<uint64_t> sealed_size = {};
  uint64_t minimum_size = 0;  // of the file; the log's own header and records say more
};

struct LogReadOptions {
  // Notes damage in damage() instead of returning it, and goes on at the next valid record behind
  // it.
  bool salvage = false;
  // Somebody may be writing the log: a last record that is not whole yet, or looks wrong, ends
  // it. Damage below a synced offset is still DataLoss.
  bool live = false;
};

struct LogRecord {
  std::string_view payload;  // until the next call of the reader
  SequenceNumber sequence = 0;
  uint64_t offset = 0;  // of the record in the file
};

// Reads a log from its start to its end, and tells what kind of end it is (FORMAT.md, "Log").
//
//   auto reader = LogReader::Open(*std::move(file), name, {.epoch = 1, .number = 7});
//   LogRecord record;
//   for (;;) {
//     const absl::StatusOr<bool> more = (*reader)->Next(&record);
//     if (!more.ok()) return more.status();   // DataLoss: "what, in FILE at offset N size M"
//     if (!*more) break;                      // the end; torn_bytes() were discarded
//     ...
//   }
//
// Invariants:
//   I1. Every record given out is valid and its predecessors, but for damage in salvage mode,
//       were too.
//   I2. Once Next has returned false or an error, it returns the same again.
// Thread safety: thread-compatible.
// Cost: each byte is read once, checked once and unmasked in place; memory is one chunk, or one
// record where that is larger.
class LogReader {
 public:
  // Reads and checks the header and the size of the file. A wrong header is DataLoss in salvage
  // mode too: without it nothing can be unmasked.
  static absl::StatusOr<std::unique_ptr<LogReader>> Open(std::unique_ptr<RandomAccessFile> file,
                                                         std::string_view file_name,
                                                         const LogExpectation& expectation,
                                                         const LogReadOptions& options = {});

  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // True with the next data record; false at the end; DataLoss at damage; or an error of the file.
  absl::StatusOr<bool> Next(LogRecord* record);

  const LogHeader& header() const { return header_; }
  // End of the last valid record so far; after the end, the size to seal the log at.
  uint64_t valid_size_bytes() const { return next_offset_; }
  // After the end: bytes of interrupted writes behind it, from there to the last that is not zero.
  uint64_t torn_bytes() const { return torn_bytes_; }
  // Salvage mode: the first damage met, OK while there was none; and the bytes skipped because of
  // any.
  const absl::Status& damage() const { return damage_; }
  uint64_t skipped_bytes() const { return skipped_bytes_; }

 private:
  LogReader(std::unique_ptr<RandomAccessFile> file, std::string_view file_name,
            const LogHeader& header, const LogExpectation& expectation,
            const LogReadOptions& options);

  absl::Status CheckFileSize(uint64_t required_bytes);
  absl::Status TakeAllocation(std::span<const char> payload);
  absl::StatusOr<bool> SettleFault(const RecordCheck& check);
  absl::StatusOr<bool> SettleSealed(const RecordCheck& check);
  absl::StatusOr<bool> SettleDamage(absl::Status damage, uint64_t end_of_bytes);
  absl::Status WitnessedLoss(const TailVerdict& verdict, const RecordCheck& check) const;
  absl::Status Loss(std::string_view what, uint64_t offset, uint64_t size) const;
  absl::StatusOr<bool> Finish(absl::StatusOr<bool> end);

  const std::string file_name_;
  const LogHeader header_;
  const TableId identity_;
  const LogReadOptions options_;
  const uint64_t file_size_bytes_;
  const std::optional<uint64_t> sealed_size_;
  LogWindow window_;

  uint64_t next_offset_ = kLogHeaderBytes;
  uint64_t allocated_bytes_;
  int looks_ = 0;  // live: how often the record at next_offset_ was looked at anew
  uint64_t torn_bytes_ = 0;
  uint64_t skipped_bytes_ = 0;
  absl::Status damage_;
  std::optional<absl::StatusOr<bool>> end_;
};

}  // namespace siltstone
