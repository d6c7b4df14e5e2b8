#include "engine/read/point_lookup.h"

#include <random>

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

#include "base/epoch.h"
#include "tests/read/view_fixture.h"

namespace siltstone::read_test {
namespace {

using State = LookupResult::State;

Entries OneEntry(std::string_view key, SequenceNumber sequence, ValueType type,
                 std::string value = "") {
  return {{MakeInternalKey(key, PackTrailer(sequence, type)), std::move(value)}};
}

// A view of one table on level 0 and one on level 1.
OwnedView ViewOf(TableMaker& maker, const Entries& level0, const Entries& level1,
                 const ReadFault* fault = nullptr) {
  std::array<Level, kLevelCount> levels;
  levels[0].runs.emplace_back(maker.order(), std::vector{maker.Make(level0, 0, fault)});
  levels[1].runs.emplace_back(maker.order(), std::vector{maker.Make(level1, 1, fault)});
  return MakeView(maker.order(), {{}}, std::move(levels));
}

TEST(PointLookup, StopsAtTheFirstTombstone) {
  TableMaker maker({});
  const OwnedView view = ViewOf(maker, OneEntry("k", 5, ValueType::kDeletion),
                                OneEntry("k", 2, ValueType::kValue, "old"));
  EpochGuard guard;
  ReadReceipt receipt;
  LookupResult result;
  ASSERT_TRUE(PointLookup(*view, "k", {.order = maker.order(), .receipt = &receipt}, &result).ok());
  EXPECT_EQ(result.state, State::kDeleted);
  EXPECT_EQ(result.sequence, 5u);
  ASSERT_EQ(receipt.steps.size(), 2u);
  EXPECT_EQ(receipt.steps[0].source, ReadStep::Source::kMemtable);
  EXPECT_EQ(receipt.steps[0].outcome, ReadStep::Outcome::kNotHere);
  EXPECT_EQ(receipt.steps[1].source, ReadStep::Source::kTable);
  EXPECT_EQ(receipt.steps[1].level, 0);
  EXPECT_EQ(receipt.steps[1].filter, ReadStep::Filter::kMaybe);
  EXPECT_EQ(receipt.steps[1].outcome, ReadStep::Outcome::kTombstone);
  EXPECT_EQ(receipt.steps[1].block_offsets.size(), 1u);
  EXPECT_EQ(receipt.tables_considered, 1u);
  EXPECT_EQ(receipt.data_blocks_from_file, 1u);
}

TEST(PointLookup, ATableThatHoldsOnlyNewerVersionsIsATruePositive) {
  TableMaker maker({});
  const OwnedView view = ViewOf(maker, OneEntry("k", 5, ValueType::kValue, "new"),
                                OneEntry("k", 2, ValueType::kValue, "old"));
  EpochGuard guard;
  EngineCounters counters;
  LookupResult result;
  ASSERT_TRUE(PointLookup(*view, "k",
                          {.order = maker.order(), .snapshot = 3, .counters = &counters}, &result)
                  .ok());
  ASSERT_EQ(result.state, State::kFound);
  EXPECT_EQ(result.value.view(), "old");
  EXPECT_EQ(counters.Sum(kFilterTruePositives), 2u);
  EXPECT_EQ(counters.Sum(kFilterFalsePositives), 0u);
  const Table& level0 = *view->version->level(0).runs[0].tables()[0];
  EXPECT_EQ(level0.reader->filter_counters().Sum(kFilterTruePositive), 1u);
}

TEST(PointLookup, NewerVersionsInOtherBlocksMakeATruePositiveAndSeparatorsDoNot) {
  TableMaker maker({.block_size_bytes = 64});
  Entries entries;
  const auto add = [&](std::string_view key, SequenceNumber newest, SequenceNumber oldest) {
    for (SequenceNumber s = newest; s >= oldest; --s) {
      entries.emplace_back(MakeInternalKey(key, PackTrailer(s, ValueType::kValue)), "value");
    }
  };
  add("abc", 150, 101);
  add("abf", 150, 101);
  add("x", 150, 101);
  const std::shared_ptr<Table> table = maker.Make(entries, 1);
  ASSERT_GT(table->reader->properties().data_blocks, 10u);
  const auto is_present = [&](std::string_view key, SequenceNumber snapshot) {
    EpochGuard guard;
    TableReadContext context;
    PointResult result;
    EXPECT_TRUE(table->reader->Get(key, snapshot, context, &result).ok());
    return result.key_present;
  };
  for (const SequenceNumber snapshot :
       {SequenceNumber{50}, SequenceNumber{120}, kMaxSequenceNumber}) {
    for (const char* const key : {"abc", "abf", "x"}) EXPECT_TRUE(is_present(key, snapshot)) << key;
    for (const char* const key : {"", "abb", "abc0", "abd", "abe", "abg", "b", "w", "y"}) {
      EXPECT_FALSE(is_present(key, snapshot)) << key << " at " << snapshot;
    }
  }
}

TEST(PointLookup, WithoutAFilterTheTableIsReadAndNoFilterCounted) {
  TableMaker maker({.fp_chance = 1});
  Entries entries = OneEntry("a", 1, ValueType::kValue, "a");
  entries.emplace_back(MakeInternalKey("z", PackTrailer(1, ValueType::kValue)), "z");
  const OwnedView view = ViewOf(maker, OneEntry("m", 5, ValueType::kValue, "m"), entries);
  EpochGuard guard;
  ReadReceipt receipt;
  LookupResult result;
  ASSERT_TRUE(PointLookup(*view, "k", {.order = maker.order(), .receipt = &receipt}, &result).ok());
  EXPECT_EQ(result.state, State::kAbsent);
  EXPECT_EQ(receipt.tables_considered, 1u);
  EXPECT_EQ(receipt.filters_checked, 0u);
  EXPECT_EQ(receipt.filter_false_positives, 0u);
  ASSERT_EQ(receipt.steps.size(), 2u);
  EXPECT_EQ(receipt.steps[1].filter, ReadStep::Filter::kNone);
}

TEST(PointLookup, ALargeValueOutlivesTheViewItWasReadFrom) {
  const std::string big(100000, 'x');
  BlockCache cache(1 << 20, 4096);
  for (BlockCache* const used_cache : {&cache, static_cast<BlockCache*>(nullptr)}) {
    TableMaker maker({.cache = used_cache});
    OwnedView view = ViewOf(maker, OneEntry("t", 5, ValueType::kValue, big),
                            OneEntry("a", 1, ValueType::kValue, ""));
    view->active->Add(6, ValueType::kValue, "m", big);
    LookupResult from_memtable, from_file, from_table;
    {
      EpochGuard guard;
      const LookupOptions options{.order = maker.order()};
      ASSERT_TRUE(PointLookup(*view, "m", options, &from_memtable).ok());
      ASSERT_TRUE(PointLookup(*view, "t", options, &from_file).ok());
      ASSERT_TRUE(PointLookup(*view, "t", options, &from_table).ok());
    }
    view.reset();
    cache.SetCapacity(0);
    EpochCollect();
    EXPECT_EQ(from_memtable.value.view(), big);
    EXPECT_EQ(from_file.value.view(), big);
    EXPECT_EQ(from_table.value.view(), big);
    cache.SetCapacity(1 << 20);
  }
}

TEST(PointLookup, AFailedReadIsAnErrorThatIsNoFilterVerdict) {
  TableMaker maker({});
  ReadFault fault = false;
  const OwnedView view = ViewOf(maker, OneEntry("k", 5, ValueType::kValue, "new"),
                                OneEntry("k", 2, ValueType::kValue, "old"), &fault);
  EpochGuard guard;
  fault = true;
  EngineCounters counters;
  ReadReceipt receipt;
  LookupResult result;
  const absl::Status status = PointLookup(
      *view, "k", {.order = maker.order(), .counters = &counters, .receipt = &receipt}, &result);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(result.state, State::kAbsent);
  EXPECT_EQ(counters.Sum(kFilterTruePositives) + counters.Sum(kFilterFalsePositives), 0u);
  EXPECT_EQ(receipt.steps.back().outcome, ReadStep::Outcome::kError);
}

TEST(ViewMayContain, ATombstoneInAMemtableIsCertain) {
  TableMaker maker({});
  const OwnedView view = ViewOf(maker, OneEntry("k", 5, ValueType::kValue, "new"),
                                OneEntry("k", 2, ValueType::kValue, "old"));
  EpochGuard guard;
  EXPECT_TRUE(ViewMayContain(*view, "k", kMaxSequenceNumber));
  EXPECT_FALSE(ViewMayContain(*view, "j", kMaxSequenceNumber));
  view->active->Add(6, ValueType::kDeletion, "k", "");
  EXPECT_FALSE(ViewMayContain(*view, "k", kMaxSequenceNumber));
  EXPECT_TRUE(ViewMayContain(*view, "k", 5));
}

void ExpectFilterCountersToAgree(const RandomHistory& history, const EngineCounters& counters,
                                 const ReadReceipt& receipt) {
  uint64_t of_tables[4] = {};
  for (const auto& table : history.tables) {
    const auto& of_table = table->reader->filter_counters();
    of_tables[0] += of_table.Sum(kFilterChecked);
    of_tables[1] += of_table.Sum(kFilterNegative);
    of_tables[2] += of_table.Sum(kFilterTruePositive);
    of_tables[3] += of_table.Sum(kFilterFalsePositive);
  }
  EXPECT_EQ(counters.Sum(kFiltersChecked), of_tables[0]);
  EXPECT_EQ(counters.Sum(kFilterNegatives), of_tables[1]);
  EXPECT_EQ(counters.Sum(kFilterTruePositives), of_tables[2]);
  EXPECT_EQ(counters.Sum(kFilterFalsePositives), of_tables[3]);
  EXPECT_EQ(of_tables[0], of_tables[1] + of_tables[2] + of_tables[3]);
  EXPECT_EQ(receipt.filters_checked, of_tables[0]);
  EXPECT_EQ(receipt.filter_negatives, of_tables[1]);
  EXPECT_EQ(receipt.filter_false_positives, of_tables[3]);
  EXPECT_EQ(receipt.data_blocks_from_cache, counters.Sum(kBlockCacheHits));
  EXPECT_EQ(receipt.data_blocks_from_file, counters.Sum(kBlocksRead));
  EXPECT_EQ(receipt.bytes_from_file, counters.Sum(kBytesRead));
  EXPECT_EQ(receipt.index_searches, counters.Sum(kIndexSearches));
}

TEST(PointLookup, MatchesAModelAtEverySnapshotAndCountsWhatItDoes) {
  std::mt19937_64 random(TestSeed(5));
  for (int round = 0; round < 30; ++round) {
    BlockCache cache(1 << 16, 256);
    TableMaker maker(
        {.order = KeyOrder(round % 4 == 0 ? ReverseComparator() : BytewiseComparator()),
         .fp_chance = round % 5 == 0 ? 0.5 : 0.01,
         .cache = round % 3 == 0 ? nullptr : &cache});
    const RandomHistory history(random, maker);
    EngineCounters counters;
    ReadReceipt receipt;
    uint64_t found = 0;
    for (int i = 0; i < 300; ++i) {
      const std::string key = RandomKey(random);
      const SequenceNumber snapshot =
          random() % 2 == 0 ? kMaxSequenceNumber : random() % (history.last_sequence + 1);
      EpochGuard guard;
      LookupResult result;
      const absl::Status status = PointLookup(*history.view, key,
                                              {.order = maker.order(),
                                               .snapshot = snapshot,
                                               .fill_cache = random() % 4 != 0,
                                               .counters = &counters,
                                               .receipt = &receipt},
                                              &result);
      ASSERT_TRUE(status.ok()) << status;
      const auto* const newest = history.model.Newest(key, snapshot);
      ASSERT_EQ(result.state, newest == nullptr            ? State::kAbsent
                              : newest->second.has_value() ? State::kFound
                                                           : State::kDeleted)
          << key << " at " << snapshot << " in round " << round;
      if (newest == nullptr) continue;
      EXPECT_EQ(result.sequence, newest->first);
      if (!newest->second) continue;
      ++found;
      EXPECT_EQ(result.value.view(), *newest->second);
      EXPECT_TRUE(ViewMayContain(*history.view, key, snapshot));
    }
    EXPECT_EQ(counters.Sum(kGets), 300u);
    EXPECT_EQ(counters.Sum(kGetsFound), found);
    ExpectFilterCountersToAgree(history, counters, receipt);
  }
}

}  // namespace
}  // namespace siltstone::read_test
