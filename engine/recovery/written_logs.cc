#include "engine/recovery/written_logs.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/manifest/file_names.h"
#include "engine/wal/log_reader.h"

namespace siltstone {
namespace {

// Of what is no log that counts, or no longer there.
bool IsPassedOver(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsNotFound(status) || absl::IsFailedPrecondition(status);
}

// Nullopt where the log holds no record.
absl::StatusOr<std::optional<WrittenLog>> ProbeLog(FileSystem& file_system,
                                                   const std::string& directory, FileId id) {
  const std::string name = LogFileName(id);
  auto file = file_system.OpenLog(PathInDirectory(directory, name));
  if (!file.ok()) return file.status();
  LogExpectation expectation;
  expectation.kind = LogKind::kWal;
  expectation.epoch = id.epoch;
  expectation.number = id.number;
  const auto reader =
      LogReader::Open(*std::move(file), name, expectation, {.salvage = false, .live = true});
  if (!reader.ok()) return reader.status();
  LogRecord record;
  const absl::StatusOr<bool> any = (*reader)->Next(&record);
  if (!any.ok()) return any.status();
  if (!*any) return std::nullopt;
  return WrittenLog{id, (*reader)->header().database_id};
}

}  // namespace

absl::StatusOr<std::vector<WrittenLog>> FindWrittenLogs(FileSystem& file_system,
                                                        const std::string& directory) {
  const auto files = file_system.ListDirectory(directory);
  if (!files.ok()) return files.status();
  std::vector<WrittenLog> written;
  for (const DirectoryEntry& file : *files) {
    const std::optional<ParsedFileName> name = ParseFileName(file.name);
    if (!name.has_value() || name->kind != FileKind::kLog) continue;
    const auto log = ProbeLog(file_system, directory, name->id);
    if (!log.ok() && !IsPassedOver(log.status())) return log.status();
    if (log.ok() && log->has_value()) written.push_back(**log);
  }
  std::sort(written.begin(), written.end(),
            [](const WrittenLog& a, const WrittenLog& b) { return a.id < b.id; });
  return written;
}

std::vector<WrittenLog> FindForgottenLogs(const std::vector<WrittenLog>& written,
                                          const TableId& database_id, const ManifestState& state) {
  // Where the epoch began without a log, those of epochs before were retired then.
  FileId newest{state.epoch, 0};
  if (!state.logs.empty()) newest = std::max(newest, state.logs.back().file_id());
  std::vector<WrittenLog> forgotten;
  for (const WrittenLog& log : written) {
    if (log.database_id == database_id && log.id > newest) forgotten.push_back(log);
  }
  return forgotten;
}

}  // namespace siltstone
