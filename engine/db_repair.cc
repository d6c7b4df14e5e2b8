#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "siltstone/file_system.h"
#include "siltstone/repair.h"

#include "base/status_macros.h"
#include "engine/compaction/compaction_picker.h"
#include "engine/compaction/drop_rule.h"
#include "engine/compaction/filter_choice.h"
#include "engine/compaction/table_output.h"
#include "engine/db_shared.h"
#include "engine/manifest/file_names.h"
#include "engine/manifest/version_keeper.h"
#include "engine/read/merging_iterator.h"
#include "engine/recovery/options_check.h"
#include "engine/recovery/survivors.h"
#include "sstable/table_reader.h"

// Repair: what survives of the tables and logs is merged into one sorted run, of each key the newest version, and
// written as the only level of a new database. Its CURRENT comes last: before it there is no database.

namespace siltstone {
namespace {

// The database that a repair writes. Single-threaded.
class NewDatabase {
 public:
  NewDatabase(const Options& options, std::shared_ptr<FileSystem> file_system, std::string path)
      : options_(options), path_(std::move(path)) {
    const KeyOrder order(options.comparator);
    keeper_.file_system = std::move(file_system);
    keeper_.directory = path_;
    keeper_.order = order;
    keeper_.database_id = TableId::Random();
    keeper_.epoch = 1;
    keeper_.hold_deletions = keeper_.release_deletions = [] {};
    keeper_.obsolete_sink = [](const std::string&) {};
    secrets_.AddSecret();
  }

  // Of about as many keys and bytes. AlreadyExists where the directory holds anything.
  absl::Status Begin(uint64_t keys, uint64_t bytes) {
    FileSystem& files = *keeper_.file_system;
    SILTSTONE_RETURN_IF_ERROR(files.CreateDirectory(path_));
    SILTSTONE_RETURN_IF_ERROR(files.SyncDirectory(ParentDirectory(path_)));
    const auto there = files.ListDirectory(path_);
    if (!there.ok()) return there.status();
    if (!there->empty()) {
      return absl::AlreadyExistsError(absl::StrCat(path_, " holds ", there->front().name,
                                                   ": name a directory that is new or empty"));
    }
    SILTSTONE_RETURN_IF_ERROR(WriteSecretRing(files, path_, secrets_));
    versions_ = std::make_unique<VersionKeeper>(keeper_, ManifestState(),
                                                std::make_shared<const Version>(keeper_.order), 1);
    MakeStore();
    const EngineLimits limits = LimitsOf(options_);
    level_ = LevelFor(bytes, limits);
    FilterJob job;
    job.output_level = level_;
    job.output_keys = keys;
    output_ = std::make_unique<TableOutput>(
        *store_, TableOutputOptions{
                     .level = level_,
                     .filter = ChooseFilter(store_->options().filters, Version(keeper_.order), job),
                     .target_size_bytes = limits.target_table_size_bytes});
    return absl::OkStatus();
  }

  absl::Status Add(std::string_view internal_key, std::string_view value) {
    return output_->Add(internal_key, value);
  }

  absl::Status Finish(SequenceNumber last_sequence) {
    SILTSTONE_RETURN_IF_ERROR(output_->Finish());
    VersionEdit edit;
    edit.epoch = keeper_.epoch;
    edit.last_sequence = last_sequence;
    edit.comparator_name = std::string(options_.comparator->name());
    edit.table_options =
        RecordedTableOptions{.filter_kind = options_.filter_kind,
                             .bloom_filter_fp_chance = options_.bloom_filter_fp_chance,
                             .compression = options_.compression,
                             .filter_allocation = options_.filter_allocation};
    for (const std::shared_ptr<Table>& table : output_->tables()) {
      edit.added.push_back({level_, table->meta});
      SILTSTONE_RETURN_IF_ERROR(table->reader->VerifyChecksums());
    }
    return versions_->Install(edit, output_->tables(), [](const auto&) {});
  }

 private:
  void MakeStore() {
    TableStoreOptions store;
    store.file_system = keeper_.file_system;
    store.directory = path_;
    store.order = keeper_.order;
    store.filters = {.kind = options_.filter_kind,
                     .fp_chance = options_.bloom_filter_fp_chance,
                     .allocation = options_.filter_allocation};
    store.secrets = secrets_;
    store.database_id = keeper_.database_id;
    store.epoch = keeper_.epoch;
    store.block_size_bytes = options_.block_size_bytes;
    store.compression = options_.compression;
    store_ = std::make_unique<TableStore>(std::move(store),
                                          [this] { return versions_->NewFileNumber(); });
  }

  // The first one below level 0 that is not too small.
  static int LevelFor(uint64_t bytes, const EngineLimits& limits) {
    const uint64_t factor = PickerLimits().level_size_factor;
    uint64_t limit = limits.base_level_size_bytes;
    int level = 1;
    for (; level + 1 < kLevelCount && bytes > limit; ++level) limit *= factor;
    return level;
  }

  const Options& options_;
  const std::string path_;
  VersionKeeperOptions keeper_;
  SecretRing secrets_;
  std::unique_ptr<VersionKeeper> versions_;
  std::unique_ptr<TableStore> store_;
  int level_ = 1;
  std::unique_ptr<TableOutput> output_;
};

// The newest version of each key that survives. Single-threaded.
class SurvivingEntries {
 public:
  SurvivingEntries(const Survivors& survivors, KeyOrder order, RepairReport* report)
      : rule_(order, /*snapshots=*/{}, [](std::string_view) { return true; }) {
    std::vector<std::unique_ptr<InternalIterator>> children;
    for (const auto& memtable : survivors.memtables) children.push_back(memtable->NewIterator());
    for (const auto& table : survivors.tables) {
      children.push_back(table->NewSalvageIterator(
          [report](const absl::Status& damage, std::string_view first, std::string_view last) {
            report->losses.push_back(
                {.what = std::string(damage.message()),
                 .keys = RepairLoss::KeyRange{std::string(first), std::string(last)}});
          }));
    }
    entries_ = NewMergingIterator(order, std::move(children));
  }

  // Visits (internal key, value); the first error ends it.
  template <typename Visit>
  absl::Status ForEach(Visit visit) {
    for (entries_->SeekToFirst(); entries_->Valid(); entries_->Next()) {
      if (rule_.ShouldDrop(entries_->key())) continue;
      SILTSTONE_RETURN_IF_ERROR(visit(entries_->key(), entries_->value()));
    }
    return entries_->status();
  }

 private:
  DropRule rule_;
  std::unique_ptr<InternalIterator> entries_;
};

// Nobody else may write meanwhile. A directory without a lock file, or one that cannot be written to, has no
// writer.
absl::StatusOr<std::unique_ptr<FileLock>> HoldOffWriters(FileSystem& file_system,
                                                         const std::string& directory) {
  const auto files = file_system.ListDirectory(directory);
  if (!files.ok()) return files.status();
  const bool has_lock = std::any_of(files->begin(), files->end(), [](const DirectoryEntry& file) {
    return file.name == kLockFileName;
  });
  if (!has_lock) return nullptr;
  auto lock = file_system.LockFile(PathInDirectory(directory, kLockFileName));
  if (!lock.ok() && !absl::IsAborted(lock.status())) return nullptr;
  return lock;
}

// `to` empty: only looks.
absl::StatusOr<RepairReport> Repair(const Options& options, std::string_view from,
                                    std::string_view to) {
  SILTSTONE_RETURN_IF_ERROR(CheckOptions(options));
  if (from.empty()) return absl::InvalidArgumentError("path is empty, must name a directory");
  const auto file_system = options.file_system != nullptr ? options.file_system : PosixFileSystem();
  const std::string directory = WithoutTrailingSlashes(from);
  std::unique_ptr<FileLock> lock;
  if (!to.empty()) {
    auto held = HoldOffWriters(*file_system, directory);
    if (!held.ok()) return held.status();
    lock = *std::move(held);
  }

  RepairReport report;
  const KeyOrder order(options.comparator);
  const auto survivors = FindSurvivors(*file_system, directory, order, &report);
  if (!survivors.ok()) return survivors.status();
  std::unique_ptr<NewDatabase> repaired;
  if (!to.empty()) {
    uint64_t keys = 0, bytes = 0;
    for (const auto& memtable : survivors->memtables) keys += memtable->entry_count();
    for (const auto& table : survivors->tables) {
      keys += table->properties().distinct_keys;
      bytes += table->properties().raw_key_bytes + table->properties().raw_value_bytes;
    }
    repaired = std::make_unique<NewDatabase>(options, file_system, WithoutTrailingSlashes(to));
    SILTSTONE_RETURN_IF_ERROR(repaired->Begin(keys, bytes));
  }
  const absl::Status read =
      SurvivingEntries(*survivors, order, &report)
          .ForEach([&](std::string_view internal_key, std::string_view value) {
            ++report.entries;
            report.key_and_value_bytes += ExtractUserKey(internal_key).size() + value.size();
            return repaired != nullptr ? repaired->Add(internal_key, value) : absl::OkStatus();
          });
  if (!read.ok()) return read;
  if (repaired != nullptr) {
    SILTSTONE_RETURN_IF_ERROR(repaired->Finish(survivors->last_sequence));
  }
  return report;
}

}  // namespace

absl::StatusOr<RepairReport> ExamineDatabase(const Options& options, std::string_view from) {
  return Repair(options, from, /*to=*/{});
}

absl::StatusOr<RepairReport> RepairDatabase(const Options& options, std::string_view from,
                                            std::string_view to) {
  if (to.empty()) return absl::InvalidArgumentError("the new path is empty, must name a directory");
  return Repair(options, from, to);
}

}  // namespace siltstone
