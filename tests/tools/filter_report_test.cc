#include "tools/filter_report.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/absent_keys.h"
#include "tools/explain.h"

namespace siltstone::tools {
namespace {

TableStatistics MakeTable(int level, uint64_t keys, double chance) {
  TableStatistics table;
  table.level = level;
  table.distinct_keys = keys;
  table.configured_fp_chance = chance;
  table.predicted_fp_rate = chance / 2;
  return table;
}

TEST(FilterReport, RatesAreMeasuredOnAbsentKeysOnly) {
  EXPECT_EQ(MeasuredRate(0, 0), std::nullopt);
  EXPECT_EQ(MeasuredRate(1, 99), 0.01);
}

TEST(FilterReport, BitsAKeyNeedAFilter) {
  TableStatistics table = MakeTable(0, 100, 0.01);
  EXPECT_EQ(BitsPerKey(table), std::nullopt);
  table.filter_bytes = 125;
  EXPECT_EQ(BitsPerKey(table), 10.0);
}

TEST(FilterReport, WastedReadsAddUpOverRuns) {
  Statistics statistics;
  statistics.levels.resize(2);
  statistics.levels[0].runs = 2;
  statistics.levels[1].runs = 1;
  // Each table of level 0 is a run; those of level 1 together are one, in which the larger weighs more.
  statistics.tables = {MakeTable(0, 1, 0.5), MakeTable(0, 1000, 0.1), MakeTable(1, 300, 0.02),
                       MakeTable(1, 100, 0.06)};
  const ExpectedWaste waste = ExpectedWastedReads(statistics);
  EXPECT_DOUBLE_EQ(waste.configured, 0.5 + 0.1 + 0.03);
  EXPECT_DOUBLE_EQ(waste.predicted, waste.configured / 2);
  EXPECT_EQ(ExpectedWastedReads(Statistics()).configured, 0);
}

Statistics ThreeRuns() {
  Statistics statistics;
  statistics.levels.resize(3);
  for (int level = 0; level < 3; ++level) {
    const uint64_t keys = level == 0 ? 10'000 : level == 1 ? 100'000 : 1'000'000;
    statistics.tables.push_back(MakeTable(level, keys, 0.01));
    statistics.tables.back().filter_bytes = keys * 10 / 8;
    statistics.levels[static_cast<size_t>(level)].runs = 1;
  }
  return statistics;
}

TEST(FilterReport, LevelsSumUpTheirTables) {
  Statistics statistics = ThreeRuns();
  statistics.tables.push_back(MakeTable(2, 1'000'000, 0.03));
  statistics.tables.back().filter_is_outdated = true;
  const std::vector<LevelFilters> levels = FiltersByLevel(statistics);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[2].tables, 2u);
  EXPECT_EQ(levels[2].outdated_tables, 1u);
  EXPECT_EQ(levels[2].keys, 2'000'000u);
  EXPECT_DOUBLE_EQ(levels[2].configured, 0.02);
  EXPECT_EQ(levels[2].run_keys, std::vector<uint64_t>{2'000'000});
}

const FilterAdvice* FindAdvice(const std::vector<FilterAdvice>& all, double chance,
                               FilterAllocation allocation) {
  for (const FilterAdvice& advice : all) {
    if (advice.settings.chance == chance && advice.settings.allocation == allocation)
      return &advice;
  }
  return nullptr;
}

TEST(FilterReport, AdviceSaysWhatAnotherChanceCostsAndSaves) {
  Statistics statistics = ThreeRuns();
  statistics.levels[2].filter_negatives_since_open = 9'900;
  statistics.levels[2].filter_false_positives_since_open = 100;
  const std::vector<FilterAdvice> all = AdviseFilters(statistics, {FilterKind::kBloom, 0.01});
  const FilterAdvice* now = FindAdvice(all, 0.01, FilterAllocation::kUniform);
  ASSERT_NE(now, nullptr);
  EXPECT_TRUE(now->in_force);
  EXPECT_NEAR(now->bits_per_key, 9.92, 0.05);
  EXPECT_NEAR(now->filter_bytes, 1'110'000 * 9.92 / 8, 1e4);
  EXPECT_DOUBLE_EQ(now->wasted_reads, 0.03);
  EXPECT_NEAR(*now->wasted_of_seen, 100, 1e-6);
  EXPECT_NEAR(*now->saved_of_seen, 0, 1e-6);

  const FilterAdvice* tenth = FindAdvice(all, 0.001, FilterAllocation::kUniform);
  ASSERT_NE(tenth, nullptr);
  EXPECT_NEAR(*tenth->saved_of_seen, 90, 1e-6);
  EXPECT_GT(tenth->filter_bytes, 1.5 * now->filter_bytes);

  const FilterAdvice* by_level = FindAdvice(all, 0.01, FilterAllocation::kByLevel);
  ASSERT_NE(by_level, nullptr);
  EXPECT_FALSE(by_level->in_force);
  EXPECT_NEAR(by_level->filter_bytes / now->filter_bytes, 1, 1e-6);
  EXPECT_NEAR(now->wasted_reads / by_level->wasted_reads, 2.1, 0.1);
  EXPECT_LT(*by_level->saved_of_seen, 0)
      << "the checks seen were all on the bottom, which errs more";
}

TEST(FilterReport, AdviceHasTheChanceInForceAndNothingUnseen) {
  const std::vector<FilterAdvice> all =
      AdviseFilters(ThreeRuns(), {FilterKind::kStandardBloom, 0.07, FilterAllocation::kByLevel});
  const FilterAdvice* now = FindAdvice(all, 0.07, FilterAllocation::kByLevel);
  ASSERT_NE(now, nullptr);
  EXPECT_TRUE(now->in_force);
  EXPECT_EQ(now->wasted_of_seen, std::nullopt);
  EXPECT_FALSE(AdviseFilters(Statistics(), {}).empty());
}

TEST(AbsentKeys, LieBetweenTheEndsOfTheRange) {
  const std::string smallest = "user:000";
  const std::string largest = "user:999";
  for (const uint64_t place : {uint64_t{0}, uint64_t{1}, UINT64_MAX / 3, UINT64_MAX}) {
    const std::string key = KeyBetween(smallest, largest, place);
    EXPECT_GT(key, smallest);
    EXPECT_LT(key, largest);
  }
  EXPECT_EQ(KeyBetween("a", "a", 7), "");
  EXPECT_EQ(KeyBetween("a", std::string("a\0", 2), 7), "");
}

TEST(Explain, EveryStepIsToldInWords) {
  ReadReceipt receipt;
  receipt.memtables_considered = 1;
  receipt.tables_considered = 2;
  receipt.filters_checked = 2;
  receipt.filter_negatives = 1;
  receipt.filter_false_positives = 1;
  receipt.data_blocks_from_file = 1;
  receipt.bytes_from_file = 37;
  receipt.steps.resize(3);
  receipt.steps[0].name = "memtable 3";
  ReadStep& refused = receipt.steps[1];
  refused.source = ReadStep::Source::kTable;
  refused.name = "a.sst";
  refused.level = 0;
  refused.filter = ReadStep::Filter::kNegative;
  ReadStep& wasted = receipt.steps[2];
  wasted.source = ReadStep::Source::kTable;
  wasted.name = "b.sst";
  wasted.level = 1;
  wasted.filter = ReadStep::Filter::kMaybe;
  wasted.blocks_from_file = 1;
  wasted.block_offsets = {4096};
  EXPECT_EQ(ReceiptInWords(receipt, false),
            "  memtable 3: not here\n"
            "  level 0, a.sst: the filter says no; not read\n"
            "  level 1, b.sst: the filter says maybe; 1 block from the file at offset 4096; not "
            "here: a false "
            "positive\n"
            "outcome: absent\n"
            "cost: 1 memtable and 2 tables considered; 2 filters asked, 1 said no, 1 false "
            "positive; 1 data "
            "block (37 bytes) read from files, 0 from the cache\n");
  EXPECT_EQ(ReceiptToJson(receipt)["steps"][2]["filter"], "maybe");
}

}  // namespace
}  // namespace siltstone::tools
