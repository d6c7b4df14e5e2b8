#include "engine/compaction/filter_choice.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/manifest/version_builder.h"
#include "filter/allocation.h"
#include "sstable/table_reader.h"

namespace siltstone {
namespace {

const KeyOrder kOrder(BytewiseComparator());
constexpr FilterDemand kByLevel = {.allocation = FilterAllocation::kByLevel};

struct Place {
  int level;
  uint64_t number;
  std::string smallest, largest;
  uint64_t keys;
};

std::shared_ptr<const Version> VersionOf(const std::vector<Place>& places,
                                         KeyOrder order = kOrder) {
  VersionEdit edit;
  std::vector<std::shared_ptr<Table>> tables;
  for (const Place& place : places) {
    TableMeta meta;
    meta.epoch = 1;
    meta.number = place.number;
    meta.smallest_sequence = meta.largest_sequence = place.number;
    meta.entries = meta.distinct_keys = place.keys;
    meta.smallest = MakeInternalKey(place.smallest, PackTrailer(place.number, ValueType::kValue));
    meta.largest = MakeInternalKey(place.largest, PackTrailer(place.number, ValueType::kValue));
    edit.added.push_back({place.level, meta});
    tables.push_back(std::make_shared<Table>(meta, nullptr, place.level));
  }
  auto version = BuildVersion(order, Version(order), edit, tables);
  EXPECT_TRUE(version.ok() && (*version)->CheckInvariants().ok());
  return *version;
}

FilterJob JobOf(int output_level, uint64_t keys, std::string_view smallest,
                std::string_view largest) {
  FilterJob job;
  job.output_level = output_level;
  job.output_keys = keys;
  job.smallest = smallest;
  job.largest = largest;
  return job;
}

void Take(const Version& version, int level, FilterJob* job) {
  version.ForEachTable([&](int at, const Table& table) {
    if (at != level) return;
    job->inputs.push_back({level, &table});
    job->output_keys += table.meta.distinct_keys;
  });
}

// What the allocation says for runs of these sizes, the first one's.
double ChanceOfFirst(const std::vector<uint64_t>& keys, double chance = 0.01) {
  std::vector<FilterRun> runs;
  for (const uint64_t n : keys) runs.push_back({n, FilterKind::kBloom});
  return AllocateChances(runs, chance).front();
}

TEST(FilterChoice, UniformIsTheOptionWhateverTheTree) {
  const auto version = VersionOf({{0, 3, "a", "z", 10}, {1, 1, "a", "z", 1000}});
  const FilterDemand demand = {.kind = FilterKind::kStandardBloom, .fp_chance = 0.03};
  for (int level = 0; level < 3; ++level) {
    const FilterOptions chosen = ChooseFilter(demand, *version, JobOf(level, 100, "a", "z"));
    EXPECT_EQ(chosen.kind, FilterKind::kStandardBloom);
    EXPECT_EQ(chosen.fp_chance, 0.03);
  }
}

TEST(FilterChoice, AFlushCountsAsARunOfItsOwn) {
  const auto version =
      VersionOf({{0, 9, "a", "z", 100}, {1, 1, "a", "m", 300}, {1, 2, "n", "z", 700}});
  const FilterOptions chosen = ChooseFilter(kByLevel, *version, JobOf(0, 50, "a", "z"));
  EXPECT_NEAR(chosen.fp_chance, ChanceOfFirst({50, 100, 1000}), 1e-12);
  EXPECT_LT(chosen.fp_chance, 0.01);
}

TEST(FilterChoice, ABacklogOfFlushesCountsAsTwoRuns) {
  std::vector<Place> places = {{1, 1, "a", "z", 1000}};
  for (uint64_t i = 0; i < 20; ++i) places.push_back({0, 10 + i, "a", "z", 100});
  const auto version = VersionOf(places);
  EXPECT_NEAR(ChooseFilter(kByLevel, *version, JobOf(0, 100, "a", "z")).fp_chance,
              ChanceOfFirst({100, 1000, 100, 100}), 1e-12);
  EXPECT_NEAR(ChooseFilter(kByLevel, *version, JobOf(2, 9000, "a", "z")).fp_chance,
              ChanceOfFirst({9000, 100, 100, 1000}), 1e-12);
}

TEST(FilterChoice, LevelsAboveCountAsIfTheyWereFullAgain) {
  const auto version = VersionOf({{0, 9, "a", "z", 100},
                                  {0, 8, "a", "z", 100},
                                  {1, 1, "a", "m", 300},
                                  {1, 2, "n", "z", 700},
                                  {2, 3, "a", "z", 20'000}});
  FilterJob job = JobOf(1, 0, "a", "z");
  Take(*version, 0, &job);
  Take(*version, 1, &job);
  EXPECT_EQ(job.output_keys, 1200u);
  EXPECT_NEAR(ChooseFilter(kByLevel, *version, job).fp_chance,
              ChanceOfFirst({1200, 20'000, 100, 100}), 1e-12);
}

TEST(FilterChoice, RunsCountWithTheirPartOfTheRange) {
  const auto version = VersionOf({{0, 9, "a", "z", 100},
                                  {1, 1, "a", "z", 1000},
                                  {2, 2, "a", "m", 3000},
                                  {2, 3, "n", "z", 3000},
                                  {3, 4, "a0", "a9", 30'000},
                                  {3, 5, "n", "z", 30'000}});
  // The left half of level 2 is written again, with a tenth of the left table of level 3 beneath.
  FilterJob job = JobOf(2, 3000, "a", "a1");
  job.inputs = {{2, version->level(2).runs[0].tables()[0].get()}};
  const uint64_t beneath = 30'000 / 9;
  const double part = (3000.0 + static_cast<double>(beneath)) / (6000 + 60'000);
  EXPECT_NEAR(ChooseFilter(kByLevel, *version, job).fp_chance,
              ChanceOfFirst({3000, beneath, static_cast<uint64_t>(part * 1000 + 0.5),
                             static_cast<uint64_t>(part * 100 + 0.5)}),
              1e-6);
}

TEST(FilterChoice, AnOrderOfOnesOwnIsNotInterpolated) {
  class Backwards final : public Comparator {
   public:
    int Compare(std::string_view a, std::string_view b) const override { return b.compare(a); }
    std::string_view name() const override { return "test.backwards"; }
  };
  const Backwards comparator;
  const auto version = VersionOf({{2, 1, "z", "a", 4000}}, KeyOrder(&comparator));
  EXPECT_NEAR(ChooseFilter(kByLevel, *version, JobOf(1, 1000, "z", "y")).fp_chance,
              ChanceOfFirst({1000, 2000}), 1e-9);
}

TEST(FilterChoice, RunsThatDoNotMeetTheRangeDoNotCount) {
  const auto version = VersionOf({{1, 1, "a", "c", 1000}, {2, 2, "a", "f", 9000}});
  EXPECT_NEAR(ChooseFilter(kByLevel, *version, JobOf(0, 50, "m", "p")).fp_chance, 0.01, 1e-9);
}

TEST(FilterChoice, AllTablesTogetherTakeTheMemoryOfTheUniformChance) {
  const auto version = VersionOf({{0, 9, "a", "z", 5'000},
                                  {1, 1, "a", "m", 20'000},
                                  {1, 2, "n", "z", 25'000},
                                  {2, 3, "a", "k", 300'000},
                                  {2, 4, "l", "z", 200'000}});
  double bits = 0;
  double wasted = 0;
  uint64_t keys = 0;
  std::vector<uint64_t> run_keys(3);
  version->ForEachTable([&](int level, const Table& table) {
    const double chance = FilterWantedFor(kByLevel, *version, level, table).fp_chance;
    const uint64_t n = table.meta.distinct_keys;
    bits += static_cast<double>(n) * FilterBitsPerKey(FilterKind::kBloom, chance);
    keys += n;
    run_keys[static_cast<size_t>(level)] += n;
    if (table.meta.smallest_user_key() == "a") wasted += chance;
  });
  const double uniform = static_cast<double>(keys) * FilterBitsPerKey(FilterKind::kBloom, 0.01);
  EXPECT_NEAR(bits / uniform, 1, 0.005);
  EXPECT_NEAR(0.03 / wasted / AllocationGain(run_keys), 1, 0.05);
}

TEST(FilterChoice, ByLevelWithAChanceOfOneWritesNoFilter) {
  const auto version = VersionOf({{1, 1, "a", "z", 1000}});
  FilterDemand demand = kByLevel;
  demand.fp_chance = 1;
  EXPECT_EQ(ChooseFilter(demand, *version, JobOf(0, 10, "a", "z")).fp_chance, 1);
}

TEST(FilterChoice, AutoTakesTheRibbonWhereNothingLiesBeneath) {
  const FilterDemand demand = {.kind = FilterKind::kAuto};
  const FilterKind at_bottom =
      IsFilterKindBuilt(FilterKind::kRibbon) ? FilterKind::kRibbon : FilterKind::kBloom;
  const auto version = VersionOf({{1, 1, "a", "z", 1000}, {3, 2, "c", "f", 1000}});
  const auto kind = [&](int level, std::string_view smallest, std::string_view largest) {
    return ChooseFilter(demand, *version, JobOf(level, 10, smallest, largest)).kind;
  };
  EXPECT_EQ(kind(0, "x", "z"), FilterKind::kBloom) << "a flush is soon gone";
  EXPECT_EQ(kind(2, "a", "e"), FilterKind::kBloom);
  EXPECT_EQ(kind(2, "g", "z"), at_bottom);
  EXPECT_EQ(kind(3, "a", "z"), at_bottom);
  EXPECT_EQ(
      ChooseFilter({.kind = FilterKind::kStandardBloom}, *version, JobOf(3, 1, "a", "z")).kind,
      FilterKind::kStandardBloom);
}

}  // namespace
}  // namespace siltstone
