#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/test_database.h"

// Receipts, statistics, the memory report and properties: that the figures are true and agree with one another.

namespace siltstone {
namespace {

using ::testing::HasSubstr;

// Several levels, a memtable, overwritten keys and tombstones.
void FillManyLevels(TestDatabase* db) {
  for (int i = 0; i < 4000; ++i) db->Put(NumberKey(i * 2), NoiseBytes(i, 60));
  db->CompactAll();
  for (int i = 0; i < 500; ++i) db->Put(NumberKey(i * 16), "newer");
  db->Flush();
  for (int i = 0; i < 300; ++i) db->Delete(NumberKey(i * 6));
  db->Flush();
  for (int i = 0; i < 100; ++i) db->Put(NumberKey(i * 10), "newest");
}

struct Totals {
  uint64_t filters_checked = 0;
  uint64_t filter_negatives = 0;
  uint64_t filter_false_positives = 0;
  uint64_t index_searches = 0;
  uint64_t blocks_from_cache = 0;
  uint64_t blocks_from_file = 0;
  uint64_t bytes_from_file = 0;

  friend bool operator==(const Totals&, const Totals&) = default;
};

Totals Since(const Statistics& before, const Statistics& after) {
  return {after.filters_checked - before.filters_checked,
          after.filter_negatives - before.filter_negatives,
          after.filter_false_positives - before.filter_false_positives,
          after.index_searches - before.index_searches,
          after.block_cache_hits - before.block_cache_hits,
          after.blocks_read - before.blocks_read,
          after.bytes_read - before.bytes_read};
}

Totals Of(const ReadReceipt& receipt) {
  return {receipt.filters_checked, receipt.filter_negatives,       receipt.filter_false_positives,
          receipt.index_searches,  receipt.data_blocks_from_cache, receipt.data_blocks_from_file,
          receipt.bytes_from_file};
}

TEST(Receipt, ReceiptsOfGetsAddUpToTheStatistics) {
  Options options = SmallOptions();
  options.bloom_filter_fp_chance = 0.2;  // so that there are false positives
  TestDatabase db(options);
  FillManyLevels(&db);
  const Statistics before = db->GetStatistics();
  ReadReceipt receipt;
  for (int i = 0; i < 8000; ++i) {
    ASSERT_TRUE(db->Get(NumberKey(i), {.receipt = &receipt}).ok());
  }
  EXPECT_TRUE(Of(receipt) == Since(before, db->GetStatistics()));
  EXPECT_GT(receipt.filter_negatives, 0u);
  EXPECT_GT(receipt.filter_false_positives, 0u);
  EXPECT_GT(receipt.data_blocks_from_file, 0u);
  EXPECT_GT(receipt.data_blocks_from_cache, 0u);
  EXPECT_GT(receipt.bytes_from_file, 0u);
}

TEST(Receipt, ReceiptsOfMultiGetsAddUpToTheStatistics) {
  Options options = SmallOptions();
  options.bloom_filter_fp_chance = 0.2;
  TestDatabase db(options);
  FillManyLevels(&db);
  const Statistics before = db->GetStatistics();
  ReadReceipt receipt;
  for (int first = 0; first < 8000; first += 50) {
    std::vector<std::string> keys;
    for (int i = 0; i < 50; ++i) keys.push_back(NumberKey(first + i));
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    std::vector<DB::GetResult> results(keys.size());
    db->MultiGet(views, std::span(results), {.receipt = &receipt});
  }
  const Statistics after = db->GetStatistics();
  EXPECT_TRUE(Of(receipt) == Since(before, after));
  EXPECT_EQ(after.gets - before.gets, 8000u);
  EXPECT_GT(receipt.filter_negatives, 0u);
}

TEST(Receipt, ReceiptsOfIteratorsAddUpToTheStatistics) {
  TestDatabase db;
  FillManyLevels(&db);
  const Statistics before = db->GetStatistics();
  ReadReceipt receipt;
  EXPECT_FALSE(db.Scan({.receipt = &receipt}).empty());
  EXPECT_FALSE(db.ReverseScan({.receipt = &receipt}).empty());
  const Statistics after = db->GetStatistics();
  EXPECT_EQ(receipt.data_blocks_from_cache, after.block_cache_hits - before.block_cache_hits);
  EXPECT_EQ(receipt.data_blocks_from_file, after.blocks_read - before.blocks_read);
  EXPECT_EQ(receipt.bytes_from_file, after.bytes_read - before.bytes_read);
  EXPECT_EQ(receipt.filters_checked, 0u) << "scans ask no filter";
  EXPECT_EQ(after.filters_checked, before.filters_checked);
  EXPECT_GT(receipt.data_blocks_from_file, 0u);
}

TEST(Receipt, TheStepsOfAGetAreItsWay) {
  TestDatabase db;
  db.Put("key", "oldest");
  db.Put("a", "1");
  db.Put("z", "1");
  db.CompactAll();
  db.Delete("key");
  db.Flush();
  ReadReceipt receipt;
  EXPECT_EQ(db.Get("key", {.receipt = &receipt}), "(absent)");
  ASSERT_EQ(receipt.steps.size(), 2u);
  EXPECT_EQ(receipt.steps[0].source, ReadStep::Source::kMemtable);
  EXPECT_EQ(receipt.steps[0].outcome, ReadStep::Outcome::kNotHere);
  EXPECT_EQ(receipt.steps[0].level, -1);
  EXPECT_EQ(receipt.steps[1].source, ReadStep::Source::kTable);
  EXPECT_EQ(receipt.steps[1].level, 0);
  EXPECT_EQ(receipt.steps[1].filter, ReadStep::Filter::kMaybe);
  EXPECT_EQ(receipt.steps[1].outcome, ReadStep::Outcome::kTombstone);
  EXPECT_EQ(receipt.steps[1].blocks_from_file + receipt.steps[1].blocks_from_cache, 1u);
  EXPECT_EQ(receipt.steps[1].block_offsets.size(), 1u);
  EXPECT_THAT(receipt.steps[1].name, HasSubstr(".sst"));

  receipt.Clear();
  db.Put("key", "new");
  EXPECT_EQ(db.Get("key", {.receipt = &receipt}), "new");
  ASSERT_EQ(receipt.steps.size(), 1u);
  EXPECT_EQ(receipt.steps[0].outcome, ReadStep::Outcome::kValue);
  EXPECT_EQ(receipt.memtables_considered, 1u);
  EXPECT_EQ(receipt.tables_considered, 0u);

  receipt.Clear();
  EXPECT_EQ(db.Get("absent", {.receipt = &receipt}), "(absent)");
  EXPECT_EQ(receipt.tables_considered, 1u) << "one table's range holds it";
  EXPECT_EQ(receipt.steps.size(), receipt.memtables_considered + receipt.tables_considered);
}

TEST(Receipt, CountsAddUpOverReads) {
  TestDatabase db;
  FillManyLevels(&db);
  ReadReceipt sum;
  uint64_t steps = 0;
  for (int i = 0; i < 500; ++i) {
    ReadReceipt one;
    db.Get(NumberKey(i), {.receipt = &one});
    db.Get(NumberKey(i), {.receipt = &sum});
    steps += one.steps.size();
    EXPECT_EQ(one.steps.size(), one.memtables_considered + one.tables_considered);
    EXPECT_LE(one.filter_negatives + one.filter_false_positives, one.filters_checked);
  }
  EXPECT_EQ(sum.steps.size(), steps);
}

TEST(Statistics, CountReads) {
  TestDatabase db;
  db.Put("table", "1");
  db.CompactAll();
  db.Put("memtable", "1");
  db.Delete("deleted");
  db.Get("table");
  db.Get("memtable");
  db.Get("deleted");
  db.Get("absent");
  const std::vector<std::string_view> keys = {"table", "absent", "memtable"};
  std::vector<DB::GetResult> results(3);
  db->MultiGet(keys, std::span(results));
  const auto it = db->NewIterator();
  it->SeekToFirst();
  it->Next();
  it->Prev();
  it->Seek("x");
  const Statistics statistics = db->GetStatistics();
  EXPECT_EQ(statistics.gets, 7u);
  EXPECT_EQ(statistics.gets_found, 4u);
  EXPECT_EQ(statistics.gets_from_memtable, 3u);
  EXPECT_EQ(statistics.iterators_created, 1u);
}

TEST(Statistics, CountIteratorSeeksAndSteps) {
  TestDatabase db;
  for (int i = 0; i < 100; ++i) db.Put(NumberKey(i), "v");
  {
    const auto it = db->NewIterator();
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    EXPECT_EQ(count, 100);
    it->SeekToLast();
    it->Prev();
  }
  const Statistics statistics = db->GetStatistics();
  EXPECT_EQ(statistics.iterator_seeks, 2u);
  EXPECT_EQ(statistics.iterator_steps, 101u);
}

TEST(Statistics, CountWrites) {
  TestDatabase db;
  const Statistics before = db->GetStatistics();
  db.Put("key", "value");
  db.Delete("key");
  WriteBatch batch;
  batch.Put("a", "12");
  batch.Put("b", "34");
  batch.Delete("c");
  EXPECT_EQ(db->Write(batch), absl::OkStatus());
  EXPECT_TRUE(*db->PutIfAbsent("d", "5"));
  EXPECT_EQ(db->Put("e", "6", {.durability = Durability::kBuffered}), absl::OkStatus());
  const Statistics after = db->GetStatistics();
  EXPECT_EQ(after.writes - before.writes, 5u);
  EXPECT_EQ(after.entries_written - before.entries_written, 7u);
  EXPECT_EQ(after.user_bytes_written - before.user_bytes_written, 8u + 3 + 3 + 3 + 1 + 2 + 2);
  EXPECT_EQ(after.write_groups - before.write_groups, 5u);
  EXPECT_EQ(after.wal_syncs - before.wal_syncs, 4u);
  EXPECT_GT(after.wal_bytes - before.wal_bytes, 22u);
  EXPECT_EQ(after.last_sequence - before.last_sequence, 7u);
}

TEST(Statistics, CountFlushesCompactionsAndWhatTheyDrop) {
  Options options = SmallOptions();
  options.compression = Compression::kNone;
  TestDatabase db(options);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) db.Put(NumberKey(i), NoiseBytes(i * 3 + round, 20));
    db.Flush();
  }
  Statistics statistics = db->GetStatistics();
  EXPECT_EQ(statistics.flushes, 3u);
  EXPECT_GT(statistics.flush_bytes_written, 3u * 100 * 20);
  EXPECT_EQ(statistics.entries_dropped, 0u);
  db.CompactAll();
  statistics = db->GetStatistics();
  EXPECT_GE(statistics.compactions, 1u);
  EXPECT_EQ(statistics.entries_dropped, 200u);
  EXPECT_GT(statistics.compaction_bytes_read, statistics.compaction_bytes_written);
  EXPECT_GT(statistics.compaction_bytes_written, 100u * 20);
}

TEST(Statistics, LevelsAndTablesDescribeTheTree) {
  Options options = SmallOptions();
  options.bloom_filter_fp_chance = 0.2;
  TestDatabase db(options);
  FillManyLevels(&db);
  for (int i = 0; i < 8000; ++i) db.Get(NumberKey(i));
  const Statistics statistics = db->GetStatistics();
  std::vector<LevelStatistics> levels(statistics.levels.size());
  uint64_t checked = 0;
  uint64_t negatives = 0;
  uint64_t true_positives = 0;
  uint64_t false_positives = 0;
  for (const TableStatistics& table : statistics.tables) {
    ASSERT_LT(static_cast<size_t>(table.level), levels.size());
    LevelStatistics& level = levels[table.level];
    ++level.tables;
    level.size_bytes += table.size_bytes;
    level.entries += table.entries;
    level.tombstones += table.tombstones;
    level.filter_bytes += table.filter_bytes;
    level.filters_checked += table.filters_checked;
    checked += table.filters_checked;
    negatives += table.filter_negatives;
    true_positives += table.filter_true_positives;
    false_positives += table.filter_false_positives;
    EXPECT_LE(table.smallest_key, table.largest_key);
    EXPECT_LE(table.smallest_sequence, table.largest_sequence);
    EXPECT_LE(table.largest_sequence, statistics.last_sequence);
    EXPECT_LE(table.distinct_keys, table.entries);
    EXPECT_EQ(table.filter_kind, "bloom");
    EXPECT_EQ(table.filter_fault, "");
    EXPECT_DOUBLE_EQ(table.configured_fp_chance, 0.2);
    EXPECT_LT(table.predicted_fp_rate, 0.3);
    // A filter of a few keys takes a whole line, and keeps more than its word.
    if (table.distinct_keys >= 100) {
      EXPECT_GT(table.predicted_fp_rate, 0.1);
    }
    EXPECT_EQ(table.filter_negatives + table.filter_true_positives + table.filter_false_positives,
              table.filters_checked);
    const auto file = db.options().file_system->OpenTable("/db/" + table.file_name);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->size_bytes(), table.size_bytes);
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(levels[i].tables, statistics.levels[i].tables);
    EXPECT_EQ(levels[i].size_bytes, statistics.levels[i].size_bytes);
    EXPECT_EQ(levels[i].entries, statistics.levels[i].entries);
    EXPECT_EQ(levels[i].tombstones, statistics.levels[i].tombstones);
    EXPECT_EQ(levels[i].filter_bytes, statistics.levels[i].filter_bytes);
    EXPECT_EQ(levels[i].filters_checked, statistics.levels[i].filters_checked);
    EXPECT_EQ(statistics.levels[i].runs,
              i == 0 ? levels[0].tables : (levels[i].tables > 0 ? 1 : 0));
  }
  EXPECT_EQ(statistics.levels[0].tables, 2u);
  EXPECT_EQ(statistics.levels[0].tombstones, 300u);
  EXPECT_EQ(checked, statistics.filters_checked);
  EXPECT_EQ(negatives, statistics.filter_negatives);
  EXPECT_EQ(true_positives, statistics.filter_true_positives);
  EXPECT_EQ(false_positives, statistics.filter_false_positives);
  EXPECT_EQ(negatives + true_positives + false_positives, checked);
}

TEST(Statistics, LevelsCountReadsAlsoOnTablesThatAreGone) {
  Options options = SmallOptions();
  options.bloom_filter_fp_chance = 0.2;
  TestDatabase db(options);
  FillManyLevels(&db);
  for (int i = 0; i < 8000; ++i) db.Get(NumberKey(i));
  db.CompactAll();
  for (int i = 0; i < 8000; ++i) db.Get(NumberKey(i));
  const Statistics statistics = db->GetStatistics();
  uint64_t checked = 0, negatives = 0, true_positives = 0, false_positives = 0, present = 0;
  size_t levels_read = 0;
  for (const LevelStatistics& level : statistics.levels) {
    checked += level.filters_checked_since_open;
    negatives += level.filter_negatives_since_open;
    true_positives += level.filter_true_positives_since_open;
    false_positives += level.filter_false_positives_since_open;
    present += level.filters_checked;
    levels_read += level.filters_checked_since_open != 0 ? 1 : 0;
  }
  EXPECT_EQ(checked, statistics.filters_checked);
  EXPECT_EQ(negatives, statistics.filter_negatives);
  EXPECT_EQ(true_positives, statistics.filter_true_positives);
  EXPECT_EQ(false_positives, statistics.filter_false_positives);
  EXPECT_LT(present, checked);
  EXPECT_GE(levels_read, 2u);
}

TEST(Statistics, TellWhatTheLastOpenRecovered) {
  TestDatabase db;
  db.Put("a", "1");
  db.Put("b", "1");
  db.Reopen();
  EXPECT_EQ(db->GetStatistics().records_recovered, 2u);
  EXPECT_EQ(db->GetStatistics().torn_bytes_discarded, 0u);
  EXPECT_EQ(db->GetStatistics().gets, 0u);
  db.Reopen();
  EXPECT_EQ(db->GetStatistics().records_recovered, 0u);
}

TEST(MemoryReport, ThePartsSumToTheTotal) {
  TestDatabase db;
  const auto check = [&] {
    const MemoryReport report = db->GetMemoryReport();
    EXPECT_EQ(report.total_bytes, report.memtable_bytes + report.block_cache_bytes +
                                      report.filter_bytes + report.index_bytes +
                                      report.table_bytes);
    EXPECT_EQ(report.budget_bytes, db.options().memory_budget_bytes);
    EXPECT_EQ(report.over_budget_bytes, report.total_bytes > report.budget_bytes
                                            ? report.total_bytes - report.budget_bytes
                                            : 0u);
    return report;
  };
  const MemoryReport empty = check();
  EXPECT_EQ(empty.filter_bytes, 0u);
  EXPECT_EQ(empty.table_bytes, 0u);
  db.Put("key", NoiseBytes(1, 30'000));
  EXPECT_GE(check().memtable_bytes, 30'000u);
  FillManyLevels(&db);
  for (int i = 0; i < 2000; ++i) db.Get(NumberKey(i));
  const MemoryReport filled = check();
  EXPECT_GT(filled.block_cache_bytes, 0u);
  EXPECT_GT(filled.filter_bytes, 0u);
  EXPECT_GT(filled.index_bytes, 0u);
  EXPECT_GT(filled.table_bytes, 0u);
  uint64_t filter_bytes = 0;
  for (const TableStatistics& table : db->GetStatistics().tables)
    filter_bytes += table.filter_bytes;
  EXPECT_EQ(filled.filter_bytes, filter_bytes);
}

TEST(Property, EveryScalarOfTheStatisticsHasOne) {
  TestDatabase db;
  FillManyLevels(&db);
  for (int i = 0; i < 2000; ++i) db.Get(NumberKey(i));
  db.Scan();
  const Snapshot snapshot = db->GetSnapshot();
  const Statistics s = db->GetStatistics();
  const std::vector<std::pair<const char*, uint64_t>> scalars = {
      {"gets", s.gets},
      {"gets_found", s.gets_found},
      {"gets_from_memtable", s.gets_from_memtable},
      {"iterators_created", s.iterators_created},
      {"iterator_seeks", s.iterator_seeks},
      {"iterator_steps", s.iterator_steps},
      {"writes", s.writes},
      {"entries_written", s.entries_written},
      {"user_bytes_written", s.user_bytes_written},
      {"write_groups", s.write_groups},
      {"wal_syncs", s.wal_syncs},
      {"wal_bytes", s.wal_bytes},
      {"write_stall_micros", s.write_stall_micros},
      {"flushes", s.flushes},
      {"compactions", s.compactions},
      {"trivial_moves", s.trivial_moves},
      {"flush_bytes_written", s.flush_bytes_written},
      {"compaction_bytes_read", s.compaction_bytes_read},
      {"compaction_bytes_written", s.compaction_bytes_written},
      {"entries_dropped", s.entries_dropped},
      {"filters_checked", s.filters_checked},
      {"filter_negatives", s.filter_negatives},
      {"filter_true_positives", s.filter_true_positives},
      {"filter_false_positives", s.filter_false_positives},
      {"filters_unusable", s.filters_unusable},
      {"index_searches", s.index_searches},
      {"block_cache_hits", s.block_cache_hits},
      {"block_cache_misses", s.block_cache_misses},
      {"blocks_read", s.blocks_read},
      {"bytes_read", s.bytes_read},
      {"torn_bytes_discarded", s.torn_bytes_discarded},
      {"records_recovered", s.records_recovered},
      {"last_sequence", s.last_sequence},
      {"snapshots", s.snapshots},
      {"immutable_memtables", s.immutable_memtables}};
  const std::string text = db->GetProperty("siltstone.stats");
  for (const auto& [name, value] : scalars) {
    EXPECT_EQ(db->GetProperty("siltstone." + std::string(name)), std::to_string(value)) << name;
    EXPECT_THAT(text, HasSubstr(name));
  }
  EXPECT_EQ(s.snapshots, 1u);
}

size_t CountLines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Property, TextsOfTheTree) {
  TestDatabase db;
  FillManyLevels(&db);
  const Statistics statistics = db->GetStatistics();
  EXPECT_EQ(CountLines(db->GetProperty("siltstone.levels")), statistics.levels.size());
  const std::string tables = db->GetProperty("siltstone.tables");
  EXPECT_EQ(CountLines(tables), statistics.tables.size());
  for (const TableStatistics& table : statistics.tables) {
    EXPECT_THAT(tables, HasSubstr(table.file_name));
  }
  EXPECT_GE(CountLines(db->GetProperty("siltstone.memory")), 6u);
  EXPECT_THAT(db->GetProperty("siltstone.options"), HasSubstr("write_buffer_size_bytes 65536"));
  EXPECT_EQ(db->GetProperty("siltstone.salvage"), "");
  EXPECT_EQ(db->GetProperty("siltstone.background-error"), "");
}

TEST(Property, AnUnknownNameIsEmpty) {
  TestDatabase db;
  for (const char* name :
       {"", "siltstone.", "siltstone.nothing", "gets", "stats", "siltstone.gets "}) {
    EXPECT_EQ(db->GetProperty(name), "") << name;
  }
}

}  // namespace
}  // namespace siltstone
