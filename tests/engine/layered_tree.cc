#include "tests/engine/layered_tree.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/internal_key.h"
#include "engine/compaction/compaction_job.h"
#include "engine/compaction/table_output.h"
#include "engine/manifest/file_names.h"
#include "engine/manifest/version_builder.h"
#include "engine/recovery/recover.h"

namespace siltstone {

namespace {

Options OptionsOf(std::shared_ptr<FileSystem> file_system) {
  Options options;
  options.file_system = std::move(file_system);
  options.durability = Durability::kBuffered;
  return options;
}

// Not durable: the tree is gone with its test anyway, and a sync of every table takes longer than writing it.
TableStoreOptions StoreOptions(std::shared_ptr<FileSystem> file_system, const std::string& path,
                               const RecoveredDatabase& database, const FilterDemand& filters) {
  TableStoreOptions store;
  store.file_system = std::move(file_system);
  store.directory = path;
  store.filters = filters;
  store.secrets = database.secrets;
  store.database_id = database.current.database_id;
  store.epoch = database.newest_epoch + 1;
  store.compression = Compression::kNone;
  store.obsolete_sink = [files = store.file_system, path](const std::string& name) {
    EXPECT_EQ(files->DeleteFile(PathInDirectory(path, name)), absl::OkStatus());
  };
  return store;
}

}  // namespace

struct LayeredTree::Access {
  std::unique_ptr<TableStore> store;
  std::unique_ptr<VersionKeeper> versions;

  void Install(VersionEdit edit, const std::vector<std::shared_ptr<Table>>& tables) {
    edit.epoch = store->options().epoch;
    ASSERT_EQ(versions->Install(edit, tables, [](const auto&) {}), absl::OkStatus());
  }
};

LayeredTree::LayeredTree(std::shared_ptr<FileSystem> file_system, std::string path,
                         std::span<const uint64_t> run_keys, uint64_t table_bytes)
    : file_system_(std::move(file_system)), path_(std::move(path)), table_bytes_(table_bytes) {
  Options options = OptionsOf(file_system_);
  options.create_if_missing = true;
  absl::StatusOr<std::unique_ptr<DB>> db = DB::Open(options, path_);
  EXPECT_TRUE(db.ok() && (*db)->Close().ok()) << db.status();
  db->reset();
  Change({.fp_chance = 1}, [&](Access& access) {
    uint64_t number = 0;
    for (size_t level = 0; level < run_keys.size(); ++level) {
      WriteRun(access, static_cast<int>(level), number, run_keys[level]);
      number += run_keys[level];
    }
  });
}

void LayeredTree::WriteRun(Access& access, int level, uint64_t first_number, uint64_t count) {
  std::vector<uint64_t> places(count);
  for (uint64_t i = 0; i < count; ++i) places[i] = Remix(first_number + i);
  std::sort(places.begin(), places.end());
  TableOutput output(*access.store, {.level = level,
                                     .filter = {.fp_chance = 1},
                                     .target_size_bytes = level == 0 ? 0 : table_bytes_});
  SequenceNumber sequence = first_number;
  for (const uint64_t place : places) {
    const ScatteredKey key(ScatteredKey::Place{place});
    const uint64_t trailer = PackTrailer(++sequence, ValueType::kValue);
    ASSERT_EQ(output.Add(MakeInternalKey(key.view(), trailer), "8 bytes."), absl::OkStatus());
  }
  ASSERT_EQ(output.Finish(), absl::OkStatus());
  VersionEdit edit;
  for (const auto& table : output.tables()) edit.added.push_back({level, table->meta});
  edit.last_sequence = sequence;
  access.Install(std::move(edit), output.tables());
}

void LayeredTree::RewriteRun(Access& access, int level, std::vector<std::shared_ptr<Table>> tables,
                             uint64_t table_bytes) {
  CompactionInputs inputs;
  inputs.input_level = inputs.output_level = level;
  inputs.inputs = std::move(tables);
  inputs.smallest = std::string(inputs.inputs.front()->meta.smallest_user_key());
  inputs.largest = std::string(inputs.inputs.back()->meta.largest_user_key());
  inputs.target_table_size_bytes = level == 0 ? 0 : table_bytes;
  absl::StatusOr<JobResult> result = RunCompaction(*access.store, *access.versions->current(),
                                                   inputs, {}, std::atomic<bool>(false));
  ASSERT_TRUE(result.ok()) << result.status();
  access.Install(std::move(result->edit), result->tables);
  for (const auto& table : inputs.inputs) table->MarkObsolete();
}

void LayeredTree::RewriteWith(const FilterDemand& filters) {
  Change(filters, [&](Access& access) {
    const std::shared_ptr<const Version> before = access.versions->current();
    for (int level = 0; level < kLevelCount; ++level) {
      for (const Run& run : before->level(level).runs) {
        RewriteRun(access, level, run.tables(), table_bytes_);
      }
    }
  });
}

void LayeredTree::Change(const FilterDemand& filters, const std::function<void(Access&)>& work) {
  absl::StatusOr<RecoveredDatabase> database =
      ReadDatabase(*file_system_, path_, OptionsOf(file_system_));
  ASSERT_TRUE(database.ok()) << database.status();
  Access access;
  access.store =
      std::make_unique<TableStore>(StoreOptions(file_system_, path_, *database, filters),
                                   [&access] { return access.versions->NewFileNumber(); });
  std::vector<std::shared_ptr<Table>> tables;
  for (int level = 0; level < kLevelCount; ++level) {
    for (const TableMeta& meta : database->state.levels[static_cast<size_t>(level)]) {
      absl::StatusOr<std::shared_ptr<Table>> table = access.store->Open(meta, level);
      ASSERT_TRUE(table.ok()) << table.status();
      tables.push_back(*std::move(table));
    }
  }
  const KeyOrder order(BytewiseComparator());
  auto version = BuildVersion(order, Version(order), SnapshotOf(database->state), tables);
  ASSERT_TRUE(version.ok()) << version.status();
  tables.clear();
  VersionKeeperOptions keeper;
  keeper.file_system = file_system_;
  keeper.directory = path_;
  keeper.database_id = database->current.database_id;
  keeper.epoch = access.store->options().epoch;
  keeper.hold_deletions = keeper.release_deletions = [] {};
  keeper.obsolete_sink = [](const std::string&) {};
  access.versions = std::make_unique<VersionKeeper>(
      std::move(keeper), database->state, *std::move(version), database->state.next_file_number);
  work(access);
}

std::unique_ptr<DB> LayeredTree::Open() const {
  Options options = OptionsOf(file_system_);
  options.read_only = true;
  absl::StatusOr<std::unique_ptr<DB>> db = DB::Open(options, path_);
  EXPECT_TRUE(db.ok()) << db.status();
  return db.ok() ? *std::move(db) : nullptr;
}

}  // namespace siltstone
