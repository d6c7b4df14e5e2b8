#include "engine/read/multi_lookup.h"

#include <random>

#include <gtest/gtest.h>

#include "base/epoch.h"
#include "engine/read/point_lookup.h"
#include "tests/read/view_fixture.h"

namespace siltstone::read_test {
namespace {

std::vector<ValueOrAbsent> LookUp(const ReadView& view, const std::vector<std::string>& keys,
                                  const LookupOptions& options) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<ValueOrAbsent> out(keys.size());
  MultiLookup(view, views, options, out);
  return out;
}

TEST(MultiLookup, OfNoKeysDoesNothing) {
  TableMaker maker({});
  const OwnedView view = MakeView(maker.order(), {{}}, {});
  EpochGuard guard;
  EXPECT_TRUE(LookUp(*view, {}, {.order = maker.order()}).empty());
}

TEST(MultiLookup, GivesForEachKeyWhatAPointLookupGives) {
  std::mt19937_64 random(TestSeed(6));
  for (int round = 0; round < 40; ++round) {
    BlockCache cache(1 << 16, 256);
    TableMaker maker(
        {.order = KeyOrder(round % 4 == 0 ? ReverseComparator() : BytewiseComparator()),
         .fp_chance = round % 5 == 0 ? 0.5 : 0.01,
         .cache = round % 3 == 0 ? nullptr : &cache});
    const RandomHistory history(random, maker);
    std::vector<std::string> keys(random() % 120);
    for (std::string& key : keys) key = RandomKey(random);
    const SequenceNumber snapshot =
        random() % 2 == 0 ? kMaxSequenceNumber : random() % (history.last_sequence + 1);
    EngineCounters counters, counters_of_gets;
    EpochGuard guard;
    const std::vector<ValueOrAbsent> out = LookUp(
        *history.view, keys, {.order = maker.order(), .snapshot = snapshot, .counters = &counters});
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(out[i].ok()) << out[i].status();
      const std::optional<std::string> expected = history.model.Get(keys[i], snapshot);
      ASSERT_EQ(out[i]->has_value(), expected.has_value()) << keys[i] << " in round " << round;
      if (expected) {
        EXPECT_EQ((*out[i])->view(), *expected);
      }
      LookupResult result;
      ASSERT_TRUE(
          PointLookup(*history.view, keys[i],
                      {.order = maker.order(), .snapshot = snapshot, .counters = &counters_of_gets},
                      &result)
              .ok());
    }
    for (const EngineCounter counter :
         {kGets, kGetsFound, kGetsFromMemtable, kFiltersChecked, kFilterNegatives,
          kFilterTruePositives, kFilterFalsePositives, kIndexSearches}) {
      EXPECT_EQ(counters.Sum(counter), counters_of_gets.Sum(counter)) << "counter " << counter;
    }
  }
}

TEST(MultiLookup, FetchesACachedBlockOnceForAllItsKeys) {
  BlockCache cache(1 << 20, 4096);
  TableMaker maker({.block_size_bytes = 4096, .cache = &cache});
  Entries entries;
  std::vector<std::string> keys;
  for (char c = 'a'; c <= 'z'; ++c) {
    keys.emplace_back(1, c);
    entries.emplace_back(MakeInternalKey(keys.back(), PackTrailer(1, ValueType::kValue)),
                         keys.back());
  }
  std::array<Level, kLevelCount> levels;
  levels[1].runs.emplace_back(maker.order(), std::vector{maker.Make(entries, 1)});
  const OwnedView view = MakeView(maker.order(), {{}}, std::move(levels));
  EpochGuard guard;
  ReadReceipt receipt;
  const auto out = LookUp(*view, keys, {.order = maker.order(), .receipt = &receipt});
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ((*out[i])->view(), keys[i]);
  EXPECT_EQ(receipt.data_blocks_from_file, 1u);
}

TEST(MultiLookup, AFailedReadIsTheErrorOfItsOwnKeysOnly) {
  TableMaker maker({});
  ReadFault fault = false;
  const auto entry = [](std::string_view key, std::string value) -> Entries {
    return {{MakeInternalKey(key, PackTrailer(1, ValueType::kValue)), std::move(value)}};
  };
  std::array<Level, kLevelCount> levels;
  levels[1].runs.emplace_back(maker.order(), std::vector{maker.Make(entry("a", "1"), 1),
                                                         maker.Make(entry("b", "2"), 1, &fault),
                                                         maker.Make(entry("c", "3"), 1)});
  const OwnedView view = MakeView(maker.order(), {{}}, std::move(levels));
  EpochGuard guard;
  fault = true;
  const auto out = LookUp(*view, {"c", "b", "a", "b", "d"}, {.order = maker.order()});
  ASSERT_TRUE(out[0].ok());
  EXPECT_EQ((*out[0])->view(), "3");
  EXPECT_EQ(out[1].status().code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(out[2].ok());
  EXPECT_EQ((*out[2])->view(), "1");
  EXPECT_EQ(out[3].status().code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(out[4].ok());
  EXPECT_FALSE(out[4]->has_value());
}

}  // namespace
}  // namespace siltstone::read_test
