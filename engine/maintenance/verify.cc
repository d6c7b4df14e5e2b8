#include "engine/maintenance/verify.h"

#include "base/status_macros.h"
#include "engine/manifest/current_file.h"
#include "engine/manifest/file_names.h"
#include "engine/manifest/manifest_reader.h"
#include "engine/wal/log_reader.h"
#include "sstable/table_reader.h"

namespace siltstone {
namespace {

constexpr int kMaxAttempts = 20;

absl::Status VerifyLog(FileSystem& file_system, const std::string& directory,
                       const TableId& database_id, const ManifestLog& log, bool live) {
  const std::string name = LogFileName({log.epoch, log.number});
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> file =
      file_system.OpenLog(PathInDirectory(directory, name));
  if (!file.ok()) return file.status();
  LogExpectation expectation;
  expectation.kind = LogKind::kWal;
  expectation.database_id = database_id;
  expectation.epoch = log.epoch;
  expectation.number = log.number;
  expectation.minimum_size = log.minimum_size;
  expectation.sealed_size = log.sealed_size;
  absl::StatusOr<std::unique_ptr<LogReader>> reader =
      LogReader::Open(*std::move(file), name, expectation, {.salvage = false, .live = live});
  if (!reader.ok()) return reader.status();
  LogRecord record;
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->Next(&record);
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
  }
}

absl::Status VerifyLogsOnce(FileSystem& file_system, const std::string& directory, KeyOrder order,
                            bool live) {
  const absl::StatusOr<CurrentFile> current = ReadCurrent(file_system, directory);
  if (!current.ok()) return current.status();
  const absl::StatusOr<ManifestState> state = ReadManifest(
      file_system, directory, *current, {.order = order, .live = live}, /*lost=*/nullptr);
  if (!state.ok()) return state.status();
  for (const ManifestLog& log : state->logs) {
    SILTSTONE_RETURN_IF_ERROR(VerifyLog(file_system, directory, current->database_id, log, live));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyTables(const Version& version) {
  absl::Status status;
  version.ForEachTable([&](int, const Table& table) {
    if (status.ok()) status = table.reader->VerifyChecksums();
  });
  return status;
}

absl::Status VerifyLogs(FileSystem& file_system, const std::string& directory, KeyOrder order,
                        bool live) {
  absl::Status status;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    status = VerifyLogsOnce(file_system, directory, order, live);
    if (!absl::IsNotFound(status)) break;
  }
  return status;
}

}  // namespace siltstone
