#include "engine/recovery/log_replay.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "base/to_absl.h"
#include "engine/manifest/file_names.h"
#include "engine/wal/log_reader.h"
#include "engine/write/batch_codec.h"

namespace siltstone {
namespace {

class LogReplay {
 public:
  LogReplay(const LogReplayOptions& options, const ManifestLog& log, ReplayedLogs* result)
      : options_(options),
        log_(log),
        name_(LogFileName({log.epoch, log.number})),
        result_(*result),
        memtable_(std::make_shared<MemTable>(options.order, log.number)) {}

  absl::Status Run() {
    const absl::Status status = ReadRecords();
    if (!status.ok() && !(options_.salvage && IsLoss(status))) return status;
    if (!status.ok()) result_.losses.push_back(std::string(status.message()));
    if (!memtable_->empty()) result_.memtables.push_back(memtable_);
    return absl::OkStatus();
  }

 private:
  static bool IsLoss(const absl::Status& status) {
    return absl::IsDataLoss(status) || absl::IsNotFound(status);
  }

  absl::Status ReadRecords() {
    absl::StatusOr<std::unique_ptr<RandomAccessFile>> file =
        options_.file_system.OpenLog(PathInDirectory(options_.directory, name_));
    // A live writer may have flushed and deleted the log: the caller starts again from a newer manifest.
    if (absl::IsNotFound(file.status()) && !options_.live) {
      return absl::DataLossError(
          absl::StrCat("log missing: the manifest names ", name_,
                       "; put the file back, or open with salvage to go on without it"));
    }
    if (!file.ok()) return file.status();
    LogExpectation expectation;
    expectation.kind = LogKind::kWal;
    expectation.database_id = options_.database_id;
    expectation.epoch = log_.epoch;
    expectation.number = log_.number;
    expectation.minimum_size = log_.minimum_size;
    expectation.sealed_size = log_.sealed_size;
    absl::StatusOr<std::unique_ptr<LogReader>> reader = LogReader::Open(
        *std::move(file), name_, expectation, {.salvage = options_.salvage, .live = options_.live});
    if (!reader.ok()) return reader.status();
    LogRecord record;
    for (;;) {
      absl::StatusOr<bool> more = (*reader)->Next(&record);
      if (!more.ok()) return more.status();
      if (!*more) break;
      SILTSTONE_RETURN_IF_ERROR(Apply(record));
    }
    result_.torn_bytes += (*reader)->torn_bytes();
    if (!(*reader)->damage().ok()) {
      result_.losses.push_back(std::string((*reader)->damage().message()));
    }
    return absl::OkStatus();
  }

  absl::Status Apply(const LogRecord& record) {
    // Over all logs: those of one database never go back.
    if (record.sequence <= result_.last_sequence) {
      return Malformed(record, absl::StrCat("sequence number: observed ", record.sequence,
                                            ", expected more than ", result_.last_sequence));
    }
    const absl::Status status = DecodeGroup(
        record.payload, record.sequence,
        [&](SequenceNumber sequence, ValueType type, std::string_view key, std::string_view value) {
          memtable_->Add(sequence, type, key, value);
          result_.last_sequence = sequence;
        });
    if (!status.ok()) return Malformed(record, std::string(status.message()));
    ++result_.records;
    return absl::OkStatus();
  }

  absl::Status Malformed(const LogRecord& record, const std::string& what) const {
    return absl::DataLossError(
        absl::StrCat("log record: ", what, ", in ", name_, " at offset ", record.offset));
  }

  const LogReplayOptions& options_;
  const ManifestLog& log_;
  const std::string name_;
  ReplayedLogs& result_;
  std::shared_ptr<MemTable> memtable_;
};

}  // namespace

absl::StatusOr<ReplayedLogs> ReplayLogs(const LogReplayOptions& options,
                                        const ManifestState& state) {
  ReplayedLogs result;
  for (const ManifestLog& log : state.logs) {
    SILTSTONE_RETURN_IF_ERROR(LogReplay(options, log, &result).Run());
  }
  result.last_sequence = std::max(result.last_sequence, state.last_sequence);
  return result;
}

}  // namespace siltstone
