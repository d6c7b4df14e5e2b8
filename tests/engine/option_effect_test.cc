#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/event_listener.h"
#include "siltstone/logger.h"

#include "tests/engine/test_database.h"

// The effect of each option that has no test of its own elsewhere: filters in filter_effect_test, comparator in
// db_basic_test, ways to open in db_open_test, durability in group_commit_test, jobs in held_compaction_test.

namespace siltstone {
namespace {

using ::testing::HasSubstr;

uint64_t TableBytes(const TestDatabase& db) {
  uint64_t bytes = 0;
  for (const LevelStatistics& level : db->GetStatistics().levels) bytes += level.size_bytes;
  return bytes;
}

TEST(OptionEffect, LargerBlocksReadMoreAndIndexLess) {
  uint64_t last_index_bytes = UINT64_MAX;
  uint64_t last_read_bytes = 0;
  for (const size_t block_size_bytes : {size_t{256}, size_t{2048}, size_t{16384}}) {
    Options options = SmallOptions();
    options.block_size_bytes = block_size_bytes;
    options.compression = Compression::kNone;
    TestDatabase db(options);
    for (int i = 0; i < 3000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 50));
    db.CompactAll();
    ReadReceipt receipt;
    EXPECT_EQ(db.Get(NumberKey(1234), {.receipt = &receipt}), NoiseBytes(1234, 50));
    EXPECT_EQ(receipt.data_blocks_from_file, 1u);
    EXPECT_GT(receipt.bytes_from_file, last_read_bytes);
    EXPECT_GT(receipt.bytes_from_file, block_size_bytes / 2);
    EXPECT_LT(receipt.bytes_from_file, block_size_bytes * 2);
    last_read_bytes = receipt.bytes_from_file;
    const uint64_t index_bytes = db->GetMemoryReport().index_bytes;
    EXPECT_LT(index_bytes, last_index_bytes);
    last_index_bytes = index_bytes;
  }
}

TEST(OptionEffect, CompressionMakesTablesSmallerWhereItCan) {
  const auto bytes_of = [](Compression compression, bool noise) {
    Options options = SmallOptions();
    options.compression = compression;
    TestDatabase db(options);
    for (int i = 0; i < 2000; ++i) {
      db.Put(NumberKey(i), noise ? NoiseBytes(i, 100) : std::string(100, 'a'));
    }
    db.CompactAll();
    for (const TableStatistics& table : db->GetStatistics().tables) {
      EXPECT_EQ(table.compression, compression == Compression::kLz4 ? "lz4" : "none");
    }
    for (int i = 0; i < 2000; i += 17) {
      EXPECT_EQ(db.Get(NumberKey(i)), noise ? NoiseBytes(i, 100) : std::string(100, 'a'));
    }
    return TableBytes(db);
  };
  EXPECT_LT(bytes_of(Compression::kLz4, false), bytes_of(Compression::kNone, false) / 3);
  EXPECT_LE(bytes_of(Compression::kLz4, true), bytes_of(Compression::kNone, true) * 11 / 10);
}

TEST(OptionEffect, TablesOfBothCompressionsLiveSideBySide) {
  TestDatabase db;
  for (int i = 0; i < 500; ++i) db.Put(NumberKey(i), std::string(50, 'a'));
  db.Flush();
  Options options = db.options();
  options.compression = Compression::kNone;
  db.Reopen(options);
  for (int i = 500; i < 1000; ++i) db.Put(NumberKey(i), std::string(50, 'b'));
  db.Flush();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(db.Get(NumberKey(i)), std::string(50, i < 500 ? 'a' : 'b'));
  }
}

TEST(OptionEffect, ASmallerWriteBufferFlushesMoreOften) {
  uint64_t last_flushes = UINT64_MAX;
  for (const size_t buffer_bytes : {size_t{8} << 10, size_t{32} << 10, size_t{256} << 10}) {
    Options options = SmallOptions();
    options.write_buffer_size_bytes = buffer_bytes;
    options.durability = Durability::kBuffered;
    TestDatabase db(options);
    for (int i = 0; i < 3000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 100));
    db.Flush();
    const Statistics statistics = db->GetStatistics();
    EXPECT_LT(statistics.flushes, last_flushes);
    last_flushes = statistics.flushes;
    for (const TableStatistics& table : statistics.tables) {
      // At most the memtables that may wait are flushed together, or one table of a compaction.
      EXPECT_LT(table.size_bytes, buffer_bytes * 6);
    }
  }
}

TEST(OptionEffect, TheMemoryBudgetBoundsTheCache) {
  Options options = SmallOptions();
  options.durability = Durability::kBuffered;
  options.compression = Compression::kNone;
  for (const size_t budget_bytes : {size_t{1} << 20, size_t{3} << 20}) {
    options.file_system = NewMemoryFileSystem();
    options.memory_budget_bytes = budget_bytes;
    TestDatabase db(options);
    for (int i = 0; i < 40'000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 100));  // 4 MB and more
    db.CompactAll();
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 40'000; i += 3) ASSERT_TRUE(db->Get(NumberKey(i)).ok());
      db.Scan();
    }
    const MemoryReport report = db->GetMemoryReport();
    EXPECT_LE(report.total_bytes, budget_bytes);
    EXPECT_EQ(report.over_budget_bytes, 0u);
    EXPECT_GE(report.block_cache_bytes, budget_bytes / 10) << "the cache uses what there is";
  }
}

TEST(OptionEffect, ALargerBudgetCachesMore) {
  const auto misses_with = [](size_t budget_bytes) {
    Options options = SmallOptions();
    options.memory_budget_bytes = budget_bytes;
    options.durability = Durability::kBuffered;
    TestDatabase db(options);
    for (int i = 0; i < 10'000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 100));
    db.CompactAll();
    for (int i = 0; i < 10'000; ++i) db.Get(NumberKey(i));
    const uint64_t before = db->GetStatistics().blocks_read;
    for (int i = 0; i < 10'000; ++i) db.Get(NumberKey(i));
    return db->GetStatistics().blocks_read - before;
  };
  EXPECT_EQ(misses_with(size_t{16} << 20), 0u) << "all of it fits";
  EXPECT_GT(misses_with(size_t{256} << 10), 500u);
}

TEST(OptionEffect, FillCacheOfAReadSaysWhetherItsBlocksAreKept) {
  TestDatabase db;
  for (int i = 0; i < 1000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 100));
  db.CompactAll();
  const size_t before = db->GetMemoryReport().block_cache_bytes;
  db.Scan({.fill_cache = false});
  for (int i = 0; i < 1000; i += 10) db.Get(NumberKey(i), {.fill_cache = false});
  EXPECT_EQ(db->GetMemoryReport().block_cache_bytes, before);
  db.Get(NumberKey(500));
  EXPECT_GT(db->GetMemoryReport().block_cache_bytes, before);
  ReadReceipt receipt;
  db.Get(NumberKey(500), {.receipt = &receipt});
  EXPECT_EQ(receipt.data_blocks_from_cache, 1u);
  EXPECT_EQ(receipt.data_blocks_from_file, 0u);
}

class Recorder final : public Logger, public EventListener {
 public:
  void Log(LogLevel, std::string_view message) override { Note(std::string(message)); }
  void OnFlushBegin(const JobInfo& job) override { Begin("flush", job); }
  void OnFlushEnd(const JobInfo& job) override { End("flush", job); }
  void OnCompactionBegin(const JobInfo& job) override { Begin("compaction", job); }
  void OnCompactionEnd(const JobInfo& job) override { End("compaction", job); }
  std::vector<std::string> notes() {
    std::lock_guard lock(mutex_);
    return notes_;
  }
  uint64_t bytes_written(bool flushes) {
    std::lock_guard lock(mutex_);
    return flushes ? flush_bytes_ : compaction_bytes_;
  }

 private:
  void Begin(const char* what, const JobInfo& job) {
    EXPECT_TRUE(job.output_tables.empty());
    EXPECT_GT(job.job_id, 0u);
    EXPECT_EQ(job.input_level < 0, std::string(what) == "flush");
    Note(std::string("begin ") + what);
  }
  void End(const char* what, const JobInfo& job) {
    EXPECT_EQ(job.status, absl::OkStatus());
    Note(std::string("end ") + what);
    std::lock_guard lock(mutex_);
    (job.input_level < 0 ? flush_bytes_ : compaction_bytes_) += job.bytes_written;
  }
  void Note(std::string note) {
    std::lock_guard lock(mutex_);
    notes_.push_back(std::move(note));
  }

  std::mutex mutex_;
  std::vector<std::string> notes_;
  uint64_t flush_bytes_ = 0;
  uint64_t compaction_bytes_ = 0;
};

TEST(OptionEffect, AListenerIsToldOfEveryJob) {
  const auto recorder = std::make_shared<Recorder>();
  Options options = SmallOptions();
  options.listener = recorder;
  TestDatabase db(options);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 500; ++i) db.Put(NumberKey(i), NoiseBytes(round, 100));
    db.Flush();
  }
  db.CompactAll();
  db.Close();
  const auto count = [notes = recorder->notes()](const char* note) {
    return std::count(notes.begin(), notes.end(), note);
  };
  EXPECT_GE(count("begin flush"), 4);
  EXPECT_EQ(count("begin flush"), count("end flush"));
  EXPECT_GE(count("begin compaction"), 1);
  EXPECT_EQ(count("begin compaction"), count("end compaction"));
  EXPECT_GT(recorder->bytes_written(true), 4u * 500 * 20);
  EXPECT_GT(recorder->bytes_written(false), 500u * 20);
}

TEST(OptionEffect, ALoggerGetsTheMessagesAndOtherwiseAFileDoes) {
  const auto recorder = std::make_shared<Recorder>();
  Options options = SmallOptions();
  options.logger = recorder;
  const auto log_files = [&] {
    int count = 0;
    for (const DirectoryEntry& entry : FilesOf(*options.file_system, "/db")) {
      count += entry.name.starts_with("LOG") ? 1 : 0;
    }
    return count;
  };
  TestDatabase db(options);
  EXPECT_FALSE(recorder->notes().empty());
  EXPECT_EQ(log_files(), 0);
  options.logger = nullptr;
  db.Reopen(options);
  EXPECT_GE(log_files(), 1);
}

TEST(OptionEffect, SalvageOpensWhatCanBeReadOfADamagedLog) {
  TestDatabase db;
  db.Put("first", NoiseBytes(1, 500));
  db.Put("second", NoiseBytes(2, 500));
  db.Put("third", NoiseBytes(3, 500));
  db.Close();
  FileSystem& files = *db.options().file_system;
  std::string log;
  for (const DirectoryEntry& entry : FilesOf(files, "/db")) {
    if (entry.name.ends_with(".log")) log = "/db/" + entry.name;
  }
  std::string bytes = *files.ReadFile(log);
  bytes[80 + 700] = static_cast<char>(bytes[80 + 700] ^ 0x40);  // in the second record
  ASSERT_EQ(files.ReplaceFile(log, bytes), absl::OkStatus());
  const auto refused = DB::Open(db.options(), "/db");
  ASSERT_TRUE(absl::IsDataLoss(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr(log.substr(4)));
  EXPECT_EQ(*files.ReadFile(log), bytes) << "an open that is refused changes nothing";
  Options options = db.options();
  options.salvage = true;
  db.Reopen(options);
  EXPECT_EQ(db.Get("first"), NoiseBytes(1, 500));
  EXPECT_EQ(db.Get("second"), "(absent)");
  EXPECT_THAT(db->GetProperty("siltstone.salvage"), HasSubstr(log.substr(4)));
  options.salvage = false;
  db.Reopen(options);
  EXPECT_EQ(db.Get("first"), NoiseBytes(1, 500));
  EXPECT_EQ(db->GetProperty("siltstone.salvage"), "");
}

}  // namespace
}  // namespace siltstone
