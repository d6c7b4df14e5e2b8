#include "engine/recovery/recover.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "base/to_absl.h"
#include "engine/manifest/file_names.h"
#include "engine/manifest/manifest_reader.h"
#include "engine/recovery/written_logs.h"

namespace siltstone {
namespace {

// What a file system leaves beside a named file when a crash cuts ReplaceFile short.
bool IsUnfinishedReplacement(std::string_view name) {
  return name.ends_with(".tmp") && (name.starts_with(std::string(kCurrentFileName) + ".") ||
                                    name.starts_with(std::string(kSecretsFileName) + "."));
}

// DataLoss where the manifest has lost its end and with it logs that hold records. To salvage is to take them for
// live ones and to say so.
absl::Status CheckNoLogIsForgotten(const std::vector<WrittenLog>& written, bool salvage,
                                   RecoveredDatabase* database) {
  for (const WrittenLog& log :
       FindForgottenLogs(written, database->current.database_id, database->state)) {
    const std::string fault = absl::StrCat(
        "log not in the manifest: ", LogFileName(log.id),
        " holds records, but the manifest names no log that late and has lost its end, in ",
        database->current.manifest_name());
    if (!salvage) {
      return absl::DataLossError(absl::StrCat(
          fault, "; restore the manifest from a copy, or make a new database with kvtool repair"));
    }
    database->losses.push_back(fault);
    ManifestState& state = database->state;
    state.logs.push_back({.epoch = log.id.epoch, .number = log.id.number});
    state.epoch = std::max(state.epoch, log.id.epoch);
    state.next_file_number = std::max(state.next_file_number, log.id.number + 1);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> DatabaseExists(FileSystem& file_system, const std::string& directory) {
  const absl::StatusOr<std::vector<DirectoryEntry>> files = file_system.ListDirectory(directory);
  if (!files.ok()) return files.status();
  std::string remains;
  for (const DirectoryEntry& file : *files) {
    if (file.name == kCurrentFileName) return true;
    const std::optional<ParsedFileName> name = ParseFileName(file.name);
    if (name.has_value() && (name->kind == FileKind::kTable || name->kind == FileKind::kLog)) {
      remains = file.name;
    }
  }
  if (remains.empty()) return false;
  return absl::DataLossError(absl::StrCat(directory, " has no CURRENT file but holds ", remains,
                                          ": a database was here; restore CURRENT"));
}

uint64_t NewestEpoch(const std::vector<DirectoryEntry>& files) {
  uint64_t epoch = 0;
  for (const DirectoryEntry& file : files) {
    const std::optional<ParsedFileName> name = ParseFileName(file.name);
    if (name.has_value()) epoch = std::max(epoch, name->id.epoch);
  }
  return epoch;
}

absl::StatusOr<RecoveredDatabase> ReadDatabase(FileSystem& file_system,
                                               const std::string& directory,
                                               const Options& options) {
  RecoveredDatabase database;
  const absl::StatusOr<std::vector<WrittenLog>> written = FindWrittenLogs(file_system, directory);
  if (!written.ok()) return written.status();
  absl::StatusOr<CurrentFile> current = ReadCurrent(file_system, directory);
  if (!current.ok()) return current.status();
  database.current = *current;
  absl::StatusOr<ManifestState> state = ReadManifest(file_system, directory, *current,
                                                     {.order = KeyOrder(options.comparator),
                                                      .salvage = options.salvage,
                                                      .live = options.read_only},
                                                     &database.losses);
  if (!state.ok()) return state.status();
  database.state = *std::move(state);
  SILTSTONE_RETURN_IF_ERROR(CheckNoLogIsForgotten(*written, options.salvage, &database));

  absl::StatusOr<SecretRing> secrets = ReadSecretRing(file_system, directory);
  if (secrets.ok()) {
    database.secrets = *std::move(secrets);
  } else if (absl::IsNotFound(secrets.status()) || absl::IsDataLoss(secrets.status())) {
    database.secrets_fault = secrets.status();
  } else {
    return secrets.status();
  }

  const LogReplayOptions replay = {.file_system = file_system,
                                   .directory = directory,
                                   .order = KeyOrder(options.comparator),
                                   .database_id = current->database_id,
                                   .salvage = options.salvage,
                                   .live = options.read_only};
  absl::StatusOr<ReplayedLogs> logs = ReplayLogs(replay, database.state);
  if (!logs.ok()) return logs.status();
  database.logs = *std::move(logs);
  for (const std::string& loss : database.logs.losses) database.losses.push_back(loss);

  absl::StatusOr<std::vector<DirectoryEntry>> files = file_system.ListDirectory(directory);
  if (!files.ok()) return files.status();
  database.files = *std::move(files);
  database.newest_epoch = std::max(database.state.epoch, NewestEpoch(database.files));
  return database;
}

std::vector<std::string> FindObsoleteFiles(const std::vector<DirectoryEntry>& files,
                                           const ManifestState& state, FileId manifest) {
  std::set<FileId> tables;
  std::set<FileId> logs;
  for (const auto& level : state.levels) {
    for (const TableMeta& table : level) tables.insert(table.file_id());
  }
  for (const ManifestLog& log : state.logs) logs.insert({log.epoch, log.number});
  std::vector<std::string> obsolete;
  for (const DirectoryEntry& file : files) {
    if (IsUnfinishedReplacement(file.name)) obsolete.push_back(file.name);
    const std::optional<ParsedFileName> name = ParseFileName(file.name);
    if (!name.has_value()) continue;
    const bool garbage = (name->kind == FileKind::kTable && !tables.contains(name->id)) ||
                         (name->kind == FileKind::kLog && !logs.contains(name->id)) ||
                         (name->kind == FileKind::kManifest && name->id != manifest) ||
                         (name->kind == FileKind::kInfoLog && name->id.epoch + 1 < manifest.epoch);
    if (garbage) obsolete.push_back(file.name);
  }
  return obsolete;
}

}  // namespace siltstone
