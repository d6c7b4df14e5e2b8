#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/test_database.h"
#include "tests/support/fault_file_system.h"

// Writers that wait at the same time share one append and one sync.

namespace siltstone {
namespace {

constexpr int kWriters = 8;
constexpr int kWritesEach = 250;

struct GroupCounts {
  uint64_t writes = 0;
  uint64_t syncs = 0;
  uint64_t appends = 0;
};

GroupCounts RunWriters(TestDatabase* db, FaultFileSystem* files, Durability durability) {
  const uint64_t syncs_before = files->operation_count(FileOperation::kSyncLog);
  const uint64_t appends_before = files->operation_count(FileOperation::kAppendLog);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kWritesEach; ++i) {
        const std::string key = std::to_string(writer) + ":" + std::to_string(i);
        EXPECT_EQ((*db)->Put(key, key, {.durability = durability}), absl::OkStatus());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  return {.writes = kWriters * kWritesEach,
          .syncs = files->operation_count(FileOperation::kSyncLog) - syncs_before,
          .appends = files->operation_count(FileOperation::kAppendLog) - appends_before};
}

Options OptionsOver(std::shared_ptr<FaultFileSystem> files) {
  Options options = SmallOptions();
  options.memory_budget_bytes = size_t{64} << 20;
  options.write_buffer_size_bytes = size_t{8} << 20;  // no flush meanwhile
  options.file_system = std::move(files);
  return options;
}

TEST(GroupCommit, EightWritersTakeAtMostAThirdAsManySyncsAsWrites) {
  const auto files = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  TestDatabase db(OptionsOver(files));
  files->SetSyncDelay(std::chrono::microseconds(300));  // as a disk takes
  const GroupCounts counts = RunWriters(&db, files.get(), Durability::kSync);
  EXPECT_LE(counts.syncs, counts.writes / 3);
  EXPECT_LE(counts.appends, counts.writes / 3);
  EXPECT_GE(counts.syncs, counts.writes / kWriters) << "a writer waits for the sync of its write";
  const Statistics statistics = db->GetStatistics();
  EXPECT_EQ(statistics.writes, counts.writes);
  EXPECT_EQ(statistics.wal_syncs, counts.syncs);
  EXPECT_EQ(statistics.write_groups, counts.appends);
  db.Destroy();
  db.Open();
  for (int writer = 0; writer < kWriters; ++writer) {
    for (int i = 0; i < kWritesEach; ++i) {
      const std::string key = std::to_string(writer) + ":" + std::to_string(i);
      ASSERT_EQ(db.Get(key), key);
    }
  }
}

TEST(GroupCommit, BufferedWritesTakeNoSync) {
  const auto files = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  TestDatabase db(OptionsOver(files));
  EXPECT_EQ(RunWriters(&db, files.get(), Durability::kBuffered).syncs, 0u);
  // One sync covers all of them.
  const uint64_t before = files->operation_count(FileOperation::kSyncLog);
  EXPECT_EQ(db->Put("last", "", {.durability = Durability::kSync}), absl::OkStatus());
  EXPECT_EQ(files->operation_count(FileOperation::kSyncLog), before + 1);
}

TEST(GroupCommit, AWriteByItselfTakesOneAppendAndOneSync) {
  const auto files = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  TestDatabase db(OptionsOver(files));
  const uint64_t all_before = files->operation_count();
  const uint64_t syncs_before = files->operation_count(FileOperation::kSyncLog);
  const uint64_t appends_before = files->operation_count(FileOperation::kAppendLog);
  for (int i = 0; i < 50; ++i) db.Put(NumberKey(i), "value");
  EXPECT_EQ(files->operation_count(FileOperation::kSyncLog) - syncs_before, 50u);
  EXPECT_EQ(files->operation_count(FileOperation::kAppendLog) - appends_before, 50u);
  EXPECT_EQ(files->operation_count() - all_before, 100u) << "and nothing else";
}

TEST(GroupCommit, ADatabaseWithoutLogWritesNoFileBeforeAFlush) {
  const auto files = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  Options options = OptionsOver(files);
  options.durability = Durability::kNone;
  TestDatabase db(options);
  const uint64_t before = files->operation_count();
  for (int i = 0; i < 50; ++i) db.Put(NumberKey(i), "value");
  EXPECT_EQ(files->operation_count(), before);
  EXPECT_TRUE(absl::IsInvalidArgument(db->Put("a", "1", {.durability = Durability::kSync})));
  EXPECT_TRUE(absl::IsInvalidArgument(db->Put("a", "1", {.durability = Durability::kBuffered})));
}

}  // namespace
}  // namespace siltstone
