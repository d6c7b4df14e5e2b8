#include "engine/recovery/survivors.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "engine/manifest/current_file.h"
#include "engine/manifest/file_names.h"
#include "engine/manifest/manifest_reader.h"
#include "engine/recovery/log_replay.h"
#include "engine/recovery/written_logs.h"

namespace siltstone {
namespace {

bool IsLoss(const absl::Status& status) {
  // A format version of later days, too, is something that cannot be read here.
  return absl::IsDataLoss(status) || absl::IsNotFound(status) || absl::IsFailedPrecondition(status);
}

// One search. Single-threaded.
class SurvivorSearch {
 public:
  SurvivorSearch(FileSystem& file_system, const std::string& directory, KeyOrder order,
                 RepairReport* report)
      : file_system_(file_system), directory_(directory), order_(order), report_(*report) {}

  absl::StatusOr<Survivors> Run() {
    SILTSTONE_RETURN_IF_ERROR(ListFiles());
    SILTSTONE_RETURN_IF_ERROR(FindState());
    SILTSTONE_RETURN_IF_ERROR(state_.has_value() ? OpenNamedTables() : OpenAllTables());
    SILTSTONE_RETURN_IF_ERROR(ReadLogs());
    report_.manifest_whole = state_.has_value();
    report_.tables_read = survivors_.tables.size();
    return std::move(survivors_);
  }

 private:
  void Lose(std::string what) { report_.losses.push_back({.what = std::move(what)}); }

  absl::Status ListFiles() {
    const auto files = file_system_.ListDirectory(directory_);
    if (!files.ok()) return files.status();
    for (const DirectoryEntry& file : *files) {
      const std::optional<ParsedFileName> name = ParseFileName(file.name);
      if (!name.has_value()) continue;
      if (name->kind == FileKind::kTable) tables_.insert(name->id);
      if (name->kind == FileKind::kLog) logs_.insert(name->id);
      if (name->kind == FileKind::kManifest) manifests_.insert(name->id);
    }
    if (tables_.empty() && logs_.empty() && manifests_.empty()) {
      return absl::NotFoundError(
          absl::StrCat("nothing of a database at ", directory_, ": no table, log or manifest"));
    }
    return absl::OkStatus();
  }

  // Sets state_ where a manifest is whole and has forgotten no log.
  absl::Status FindState() {
    const absl::StatusOr<CurrentFile> current = ReadCurrent(file_system_, directory_);
    if (current.ok()) {
      database_id_ = current->database_id;
      return TryManifest(*current);
    }
    if (!IsLoss(current.status())) return current.status();
    Lose(absl::StrCat("CURRENT: ", current.status().message()));
    // The newest is the one it named, or one that is newer by an edit that was about to count.
    if (manifests_.empty()) return absl::OkStatus();
    return TryManifest({.manifest = *manifests_.rbegin(), .database_id = {}});
  }

  absl::Status TryManifest(const CurrentFile& current) {
    const auto written = FindWrittenLogs(file_system_, directory_);
    if (!written.ok()) return written.status();
    absl::StatusOr<ManifestState> state =
        ReadManifest(file_system_, directory_, current, {.order = order_}, /*lost=*/nullptr);
    if (!state.ok()) {
      if (!IsLoss(state.status())) return state.status();
      Lose(absl::StrCat("manifest: ", state.status().message()));
      return absl::OkStatus();
    }
    const std::vector<WrittenLog> forgotten =
        FindForgottenLogs(*written, current.database_id, *state);
    if (!forgotten.empty()) {
      Lose(absl::StrCat("manifest: has lost its end: it does not name ",
                        LogFileName(forgotten.back().id), ", in ", current.manifest_name()));
      return absl::OkStatus();
    }
    state_ = *std::move(state);
    return absl::OkStatus();
  }

  // `meta`: what the manifest says; null: nothing.
  absl::StatusOr<std::unique_ptr<TableReader>> OpenTable(FileId id, const TableMeta* meta) {
    TableReaderOptions options;
    options.order = order_;
    options.file_name = TableFileName(id);
    if (meta != nullptr) {
      options.file_size_bytes = meta->file_size_bytes;
      options.tail_size_bytes = meta->tail_size_bytes;
      options.expected_table_id = meta->id;
    }
    auto file = file_system_.OpenTable(PathInDirectory(directory_, options.file_name));
    if (!file.ok()) return file.status();
    return TableReader::Open(std::move(options), *std::move(file));
  }

  void Take(std::unique_ptr<TableReader> table) {
    survivors_.last_sequence =
        std::max(survivors_.last_sequence, table->properties().largest_sequence);
    survivors_.tables.push_back(std::move(table));
  }

  absl::Status OpenNamedTables() {
    survivors_.last_sequence = state_->last_sequence;
    for (const std::vector<TableMeta>& level : state_->levels) {
      for (const TableMeta& meta : level) {
        tables_.erase(meta.file_id());
        auto table = OpenTable(meta.file_id(), &meta);
        if (table.ok()) {
          Take(*std::move(table));
          continue;
        }
        if (!IsLoss(table.status())) return table.status();
        report_.losses.push_back(
            {.what = absl::StrCat("table ", meta.FileName(), ": ", table.status().message()),
             .keys = RepairLoss::KeyRange{std::string(meta.smallest_user_key()),
                                          std::string(meta.largest_user_key())}});
      }
    }
    for (const FileId id : tables_) {
      report_.notes.push_back(
          absl::StrCat(TableFileName(id), " is not named by the manifest, and was left out"));
    }
    return absl::OkStatus();
  }

  // Newest first, so that the database id is the newest table's where CURRENT does not tell.
  absl::Status OpenAllTables() {
    for (auto id = tables_.rbegin(); id != tables_.rend(); ++id) {
      auto table = OpenTable(*id, nullptr);
      if (!table.ok()) {
        if (!IsLoss(table.status())) return table.status();
        Lose(absl::StrCat("table ", TableFileName(*id), ": ", table.status().message()));
        continue;
      }
      const TableId& database_id = (*table)->properties().database_id;
      if (database_id_.is_zero()) database_id_ = database_id;
      if (database_id != database_id_) {
        report_.notes.push_back(
            absl::StrCat(TableFileName(*id), " is of another database, and was left out"));
        continue;
      }
      Take(*std::move(table));
    }
    report_.notes.push_back(
        "no whole manifest says which tables count: all were read, and keys that were deleted may "
        "be back");
    return absl::OkStatus();
  }

  absl::Status ReadLogs() {
    ManifestState state;
    if (state_.has_value()) {
      state.logs = state_->logs;
    } else {
      // Those that are in tables already hold nothing that is not there.
      for (const FileId id : logs_) state.logs.push_back({.epoch = id.epoch, .number = id.number});
    }
    auto logs = ReplayLogs({.file_system = file_system_,
                            .directory = directory_,
                            .order = order_,
                            .database_id = database_id_,
                            .salvage = true},
                           state);
    if (!logs.ok()) return logs.status();
    for (std::string& loss : logs->losses) Lose(std::move(loss));
    if (logs->torn_bytes != 0) {
      report_.notes.push_back(absl::StrCat("a log ends in ", logs->torn_bytes,
                                           " bytes of writes that were not completed"));
    }
    report_.logs_read = logs->memtables.size();
    survivors_.memtables = std::move(logs->memtables);
    survivors_.last_sequence = std::max(survivors_.last_sequence, logs->last_sequence);
    return absl::OkStatus();
  }

  FileSystem& file_system_;
  const std::string& directory_;
  const KeyOrder order_;
  RepairReport& report_;
  std::set<FileId> tables_, logs_, manifests_;
  TableId database_id_;                 // zero: not known yet
  std::optional<ManifestState> state_;  // nullopt: no manifest to go by
  Survivors survivors_;
};

}  // namespace

absl::StatusOr<Survivors> FindSurvivors(FileSystem& file_system, const std::string& directory,
                                        KeyOrder order, RepairReport* report) {
  return SurvivorSearch(file_system, directory, order, report).Run();
}

}  // namespace siltstone
