#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/test_database.h"

// That filters save the reads they promise to save, and that their options do what they say.

namespace siltstone {
namespace {

constexpr int kKeys = 20'000;

Options FilterOptions(double chance, FilterKind kind = FilterKind::kBloom) {
  Options options = SmallOptions();
  options.memory_budget_bytes = size_t{16} << 20;
  options.write_buffer_size_bytes = size_t{256} << 10;
  options.bloom_filter_fp_chance = chance;
  options.filter_kind = kind;
  options.durability = Durability::kBuffered;
  return options;
}

// Keys of even numbers, in several runs whose ranges overlap.
void FillRuns(TestDatabase* db) {
  for (int i = 0; i < kKeys; ++i) db->Put(NumberKey(i * 2), NoiseBytes(i, 20));
  db->CompactAll();
  for (int i = 0; i < kKeys; i += 50) db->Put(NumberKey(i * 2), "newer");
  db->Put(NumberKey(0), "first");
  db->Put(NumberKey(kKeys * 2), "last");
  db->Flush();
}

struct AbsentCost {
  uint64_t blocks = 0;  // looked into
  uint64_t checked = 0;
  uint64_t negatives = 0;
  uint64_t false_positives = 0;
};

AbsentCost ReadAbsentKeys(TestDatabase* db) {
  ReadReceipt receipt;
  for (int i = 0; i < kKeys; ++i) {
    EXPECT_EQ(db->Get(NumberKey(i * 2 + 1), {.receipt = &receipt}), "(absent)");
  }
  return {receipt.data_blocks_from_cache + receipt.data_blocks_from_file, receipt.filters_checked,
          receipt.filter_negatives, receipt.filter_false_positives};
}

class EveryKind : public ::testing::TestWithParam<FilterKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         ::testing::Values(FilterKind::kStandardBloom, FilterKind::kBloom,
                                           FilterKind::kRibbon),
                         [](const auto& info) {
                           return info.param == FilterKind::kBloom    ? "Bloom"
                                  : info.param == FilterKind::kRibbon ? "Ribbon"
                                                                      : "StandardBloom";
                         });

TEST_P(EveryKind, AbsentKeysCostNoBlockButForFalsePositives) {
  TestDatabase db(FilterOptions(0.01, GetParam()));
  FillRuns(&db);
  const AbsentCost cost = ReadAbsentKeys(&db);
  // Two runs hold each range, but for the few absent keys that lie between two tables of a run.
  EXPECT_GE(cost.checked, static_cast<uint64_t>(kKeys) * 2 - 40);
  EXPECT_EQ(cost.negatives + cost.false_positives, cost.checked);
  EXPECT_EQ(cost.blocks, cost.false_positives);
  // 4 standard deviations of 40,000 draws at 1 %, and a little for rates that are not exactly the promised one.
  EXPECT_LT(cost.false_positives, 490u);
  EXPECT_GT(cost.false_positives, 300u);
  for (const TableStatistics& table : db->GetStatistics().tables) {
    EXPECT_EQ(table.filter_kind, GetParam() == FilterKind::kBloom    ? "bloom"
                                 : GetParam() == FilterKind::kRibbon ? "ribbon"
                                                                     : "standard-bloom");
    EXPECT_DOUBLE_EQ(table.configured_fp_chance, 0.01);
    EXPECT_NEAR(table.predicted_fp_rate, 0.01, 0.003);
  }
}

TEST_P(EveryKind, EveryKeyIsFoundAtAnyChance) {
  for (const double chance : {0.9, 0.5, 0.1, 0.001, 0.000001}) {
    TestDatabase db(FilterOptions(chance, GetParam()));
    FillRuns(&db);
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_NE(db.Get(NumberKey(i * 2)), "(absent)") << chance << " " << i;
      ASSERT_TRUE(db->MayContain(NumberKey(i * 2)));
    }
    EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
  }
}

TEST(FilterEffect, ASmallerChanceTakesMoreMemoryAndWastesFewerReads) {
  uint64_t last_bytes = 0;
  uint64_t last_positives = kKeys * 2;
  for (const double chance : {0.3, 0.1, 0.01, 0.0001}) {
    TestDatabase db(FilterOptions(chance));
    FillRuns(&db);
    const AbsentCost cost = ReadAbsentKeys(&db);
    const uint64_t bytes = db->GetMemoryReport().filter_bytes;
    EXPECT_GT(bytes, last_bytes) << chance;
    EXPECT_LT(cost.false_positives, last_positives) << chance;
    last_bytes = bytes;
    last_positives = cost.false_positives;
  }
}

TEST(FilterEffect, AChanceOfOneWritesNoFilter) {
  TestDatabase db(FilterOptions(1));
  FillRuns(&db);
  const AbsentCost cost = ReadAbsentKeys(&db);
  EXPECT_EQ(cost.checked, 0u);
  EXPECT_EQ(cost.false_positives, 0u);
  EXPECT_GE(cost.blocks, static_cast<uint64_t>(kKeys)) << "every run is read";
  EXPECT_EQ(db->GetMemoryReport().filter_bytes, 0u);
  for (const TableStatistics& table : db->GetStatistics().tables) {
    EXPECT_EQ(table.filter_kind, "none");
    EXPECT_EQ(table.filter_fault, "");
    EXPECT_EQ(table.filter_bytes, 0u);
  }
  EXPECT_EQ(db->GetStatistics().filters_unusable, 0u);
  EXPECT_TRUE(db->MayContain(NumberKey(1))) << "without a filter nothing is certain";
  EXPECT_FALSE(db->MayContain("zzz")) << "but what no table's range holds is";
}

TEST(FilterEffect, AChangeTakesEffectWithNewTables) {
  TestDatabase db(FilterOptions(0.1));
  for (int i = 0; i < 1000; ++i) db.Put("old" + NumberKey(i), "v");
  db.CompactAll();
  db.Reopen([&] {
    Options changed = db.options();
    changed.bloom_filter_fp_chance = 0.001;
    changed.filter_kind = FilterKind::kStandardBloom;
    return changed;
  }());
  for (int i = 0; i < 1000; ++i) db.Put("young" + NumberKey(i), "v");
  db.Flush();
  const Statistics mixed = db->GetStatistics();
  ASSERT_EQ(mixed.tables.size(), 2u);
  for (const TableStatistics& table : mixed.tables) {
    const bool young = table.smallest_key.starts_with("young");
    EXPECT_EQ(table.filter_kind, young ? "standard-bloom" : "bloom");
    EXPECT_DOUBLE_EQ(table.configured_fp_chance, young ? 0.001 : 0.1);
    EXPECT_DOUBLE_EQ(table.wanted_fp_chance, 0.001);
    EXPECT_EQ(table.filter_is_outdated, !young);
  }
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(db.Get("old" + NumberKey(i)), "v");
    ASSERT_EQ(db.Get("young" + NumberKey(i)), "v");
  }
  db.Put("old" + NumberKey(500), "newer");
  db.CompactAll();
  for (const TableStatistics& table : db->GetStatistics().tables) {
    if (table.smallest_key.starts_with("old")) {
      EXPECT_EQ(table.filter_kind, "standard-bloom");
    }
  }
}

TEST(FilterEffect, TombstonesCountAsKeysOfTheirTable) {
  TestDatabase db(FilterOptions(0.001));
  for (int i = 0; i < 2000; ++i) db.Put(NumberKey(i), "v");
  db.CompactAll();
  for (int i = 0; i < 2000; i += 2) db.Delete(NumberKey(i));
  db.Flush();
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(db.Get(NumberKey(i)), i % 2 == 0 ? "(absent)" : "v");
  for (const TableStatistics& table : db->GetStatistics().tables) {
    EXPECT_EQ(table.distinct_keys, table.level == 0 ? 1000u : 2000u);
  }
}

TEST(FilterEffect, TheWalkEndsAtTheNewestTableThatHasTheKey) {
  TestDatabase db(FilterOptions(0.01));
  FillRuns(&db);
  ReadReceipt receipt;
  EXPECT_EQ(db.Get(NumberKey(100), {.receipt = &receipt}), "newer");
  EXPECT_EQ(receipt.tables_considered, 1u);
  EXPECT_EQ(receipt.data_blocks_from_cache + receipt.data_blocks_from_file, 1u);
}

}  // namespace
}  // namespace siltstone
