#include "engine/compaction/compaction_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/manifest/version_builder.h"
#include "sstable/table_reader.h"

namespace siltstone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const KeyOrder kOrder(BytewiseComparator());
constexpr PlanLimits kLimits = {.base_level_size_bytes = 1000, .target_table_size_bytes = 50};

struct Place {
  int level;
  uint64_t number;
  std::string smallest, largest;
  uint64_t tombstones = 0;
  uint64_t distinct_keys = 10;
};

// Tables of 100 bytes and 10 entries; on level 0 a higher number is newer.
std::shared_ptr<const Version> VersionOf(const std::vector<Place>& places) {
  VersionEdit edit;
  std::vector<std::shared_ptr<Table>> tables;
  for (const Place& place : places) {
    TableMeta meta;
    meta.epoch = 1;
    meta.number = place.number;
    meta.file_size_bytes = 100;
    meta.smallest_sequence = meta.largest_sequence = place.number;
    meta.entries = 10;
    meta.distinct_keys = place.distinct_keys;
    meta.tombstones = place.tombstones;
    meta.smallest = MakeInternalKey(place.smallest, PackTrailer(place.number, ValueType::kValue));
    meta.largest = MakeInternalKey(place.largest, PackTrailer(place.number, ValueType::kValue));
    edit.added.push_back({place.level, meta});
    tables.push_back(std::make_shared<Table>(meta, nullptr, place.level));
  }
  auto version = BuildVersion(kOrder, Version(kOrder), edit, tables);
  EXPECT_TRUE(version.ok() && (*version)->CheckInvariants().ok());
  return *version;
}

std::vector<uint64_t> Numbers(const std::vector<std::shared_ptr<Table>>& tables) {
  std::vector<uint64_t> numbers;
  for (const auto& table : tables) numbers.push_back(table->meta.number);
  return numbers;
}

TEST(CompactionPlanner, APickNamesTheTablesOfTheVersion) {
  const auto version = VersionOf({{0, 14, "a", "c"},
                                  {0, 13, "x", "z"},
                                  {0, 12, "c", "e"},
                                  {0, 11, "d", "f"},
                                  {1, 1, "b", "d"},
                                  {1, 2, "y", "z"},
                                  {2, 3, "a", "b"},
                                  {2, 4, "f", "h"},
                                  {2, 5, "i", "k"}});
  const auto plan = PlanCompaction(*version, kLimits, {}, [](const Table&) { return false; });
  ASSERT_TRUE(plan.has_value());
  EXPECT_FALSE(plan->trivial_move);
  EXPECT_THAT(Numbers(plan->inputs.inputs), ElementsAre(14, 12, 11));
  EXPECT_THAT(Numbers(plan->inputs.overlaps), ElementsAre(1));
  EXPECT_EQ(plan->inputs.smallest, "a");
  EXPECT_EQ(plan->inputs.largest, "f");
  ASSERT_EQ(plan->inputs.grandparents.size(), 2u);
  EXPECT_EQ(plan->inputs.grandparents[0].largest, "b");
  EXPECT_EQ(plan->inputs.grandparents[1].largest, "h");
  EXPECT_EQ(plan->inputs.grandparents[1].size_bytes, 100u);
}

TEST(CompactionPlanner, SmallTablesAreJoinedByTheirNeighbours) {
  const auto version = VersionOf({{0, 14, "m", "m"},
                                  {0, 13, "l", "l"},
                                  {0, 12, "k", "k"},
                                  {0, 11, "j", "j"},
                                  {1, 1, "a", "c"},
                                  {1, 2, "f", "h"},
                                  {1, 3, "x", "y"}});
  const auto plan =
      PlanCompaction(*version, {.base_level_size_bytes = 1000, .target_table_size_bytes = 3200}, {},
                     [](const Table& table) { return table.meta.number == 1; });
  ASSERT_TRUE(plan.has_value());
  EXPECT_FALSE(plan->trivial_move);
  EXPECT_THAT(Numbers(plan->inputs.inputs), ElementsAre(14, 13, 12, 11));
  EXPECT_THAT(Numbers(plan->inputs.overlaps), ElementsAre(2, 3));
  EXPECT_EQ(plan->inputs.smallest, "f");
  EXPECT_EQ(plan->inputs.largest, "y");
}

TEST(CompactionPlanner, BusyTablesHoldItUp) {
  const auto version = VersionOf({{0, 14, "a", "c"},
                                  {0, 13, "a", "z"},
                                  {0, 12, "c", "e"},
                                  {0, 11, "d", "f"},
                                  {1, 1, "b", "d"}});
  const auto busy = [](const Table& table) { return table.meta.number == 1; };
  EXPECT_FALSE(PlanCompaction(*version, kLimits, {}, busy).has_value());
}

TEST(CompactionPlanner, ARangeTakesWhatHoldsItsKeysAndTheGapsBeneath) {
  const auto version = VersionOf({{1, 1, "a", "c"},
                                  {1, 2, "e", "g"},
                                  {1, 3, "i", "k"},
                                  {2, 4, "c", "d"},
                                  {2, 5, "h", "h"},
                                  {2, 6, "k", "z"}});
  const auto plan = PlanRange(*version, kLimits, 1, {"f", "i"});
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(Numbers(plan->inputs), ElementsAre(2, 3));
  EXPECT_THAT(Numbers(plan->overlaps), ElementsAre(5, 6));
  EXPECT_EQ(plan->smallest, "e");
  EXPECT_EQ(plan->largest, "z");
  EXPECT_FALSE(PlanRange(*version, kLimits, 1, {"l", {}}).has_value());
  EXPECT_FALSE(PlanRange(*version, kLimits, 3, {}).has_value());
}

TEST(CompactionPlanner, ARangeOfLevel0TakesWhatOverlapsByWayOfOthers) {
  const auto version =
      VersionOf({{0, 14, "a", "b"}, {0, 13, "b", "d"}, {0, 12, "d", "f"}, {0, 11, "x", "z"}});
  const auto plan = PlanRange(*version, kLimits, 0, {"a", "a"});
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(Numbers(plan->inputs), ElementsAre(14, 13, 12));
}

TEST(CompactionPlanner, ARewriteTakesNeighboursWithSomethingToDrop) {
  const auto version = VersionOf({{2, 1, "a", "b"},
                                  {2, 2, "c", "d", 1},
                                  {2, 3, "e", "f", 0, 9},
                                  {2, 4, "g", "h"},
                                  {2, 5, "i", "j", 1}});
  const FileId all = {1, 100};
  auto plan = PlanRewrite(*version, kLimits, 2, {}, all);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->output_level, 2);
  EXPECT_THAT(Numbers(plan->inputs), ElementsAre(2, 3));
  EXPECT_THAT(plan->overlaps, IsEmpty());
  plan = PlanRewrite(*version, kLimits, 2, {"g", {}}, all);
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(Numbers(plan->inputs), ElementsAre(5));
  EXPECT_FALSE(PlanRewrite(*version, kLimits, 2, {"g", "h"}, all).has_value());
  EXPECT_FALSE(PlanRewrite(*version, kLimits, 2, {}, {1, 2}).has_value()) << "too new";
}

}  // namespace
}  // namespace siltstone
