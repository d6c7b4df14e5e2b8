#include "filter/ribbon_math.h"

#include <cmath>

#include <gtest/gtest.h>

#include "filter/bloom_math.h"
#include "filter/ribbon_layout.h"
#include "tests/filter/filter_test_keys.h"

namespace siltstone {
namespace {

TEST(RibbonColumns, MeetAnyChanceExactly) {
  for (double chance = 0.999; chance > kSmallestChance; chance *= 0.97) {
    const RibbonColumns columns = ColumnsForChance(chance);
    EXPECT_GE(columns.most, 1);
    EXPECT_LE(columns.most, kMaxRibbonColumns);
    EXPECT_GE(columns.fewer_share, 0);
    EXPECT_LT(columns.fewer_share, 1);
    EXPECT_DOUBLE_EQ(RibbonRate(columns.most, columns.fewer_share), chance);
  }
}

TEST(RibbonColumns, OfAPowerOfTwoAreWhole) {
  for (int bits = 1; bits <= 40; ++bits) {
    const RibbonColumns columns = ColumnsForChance(std::ldexp(1.0, -bits));
    EXPECT_EQ(columns.most, bits);
    EXPECT_EQ(columns.fewer_share, 0);
  }
}

TEST(RibbonColumns, EndAtTheSmallestChance) {
  for (const double chance : {0x1p-41, 1e-300, 5e-324}) {
    EXPECT_EQ(ColumnsForChance(chance).most, 40) << chance;
  }
}

TEST(RibbonColumns, AreSevenAndSixForOnePercent) {
  EXPECT_EQ(ColumnsForChance(0.01).most, 7);
  EXPECT_NEAR(ColumnsForChance(0.01).fewer_share, 0.28, 1e-12);
  EXPECT_EQ(ColumnsForChance(0.9).most, 1);
  EXPECT_NEAR(ColumnsForChance(0.9).fewer_share, 0.8, 1e-12);
}

TEST(RibbonColumns, LoseLessThanATenthOfABit) {
  for (double chance = 0.5; chance > 1e-9; chance *= 0.99) {
    const RibbonColumns columns = ColumnsForChance(chance);
    const double bits = columns.most - columns.fewer_share;
    EXPECT_GE(bits, LeastBitsPerKey(chance) - 1e-9);
    EXPECT_LE(bits, LeastBitsPerKey(chance) + 0.0861);
  }
}

TEST(RibbonRows, GrowWithTheAttempts) {
  for (const uint64_t keys : {0u, 1u, 63u, 1000u, 8000u}) {
    EXPECT_GE(PlainLayerBlocks(keys, 0), 2u);
    EXPECT_GT(PlainLayerBlocks(keys, 0) * kRibbonBlockRows, keys + keys / 50);
    for (uint64_t attempt = 0; attempt < 60; ++attempt) {
      EXPECT_GE(PlainLayerBlocks(keys, attempt + 1), PlainLayerBlocks(keys, attempt));
      EXPECT_GT(PlainLayerBlocks(keys, attempt + 4), PlainLayerBlocks(keys, attempt));
    }
  }
}

TEST(RibbonShards, HoldAtMostTheirShare) {
  EXPECT_EQ(RibbonShards(1), 1u);
  EXPECT_EQ(RibbonShards(kRibbonShardKeys), 1u);
  EXPECT_EQ(RibbonShards(kRibbonShardKeys + 1), 2u);
  EXPECT_EQ(RibbonShards(uint64_t{1} << 32), 1u << 14);
}

// Fingerprints of a list may meet; how many keys a bumped layer sends on is chance.
double Tolerance(uint64_t keys) {
  if (keys == 48) return 0.06;
  return keys > 2000 ? 0.015 : 1e-9;
}

TEST(RibbonBitsPerKey, IsWhatBlocksTake) {
  for (const uint64_t keys : {1u, 48u, 100u, 2000u, 10'000u, 100'000u, 300'000u}) {
    for (const double chance : {0.5, 0.1, 0.01, 1e-4}) {
      const std::string block = BuildBlock({FilterKind::kRibbon, chance}, 1, keys);
      const double bits = static_cast<double>(block.size()) * 8 / static_cast<double>(keys);
      EXPECT_NEAR(RibbonBitsPerKey(keys, chance), bits, bits * Tolerance(keys))
          << keys << " at " << chance;
    }
  }
}

TEST(RibbonBitsPerKey, IsNearTheLimitForAMillionKeys) {
  EXPECT_LE(RibbonBitsPerKey(1'000'000, 0.01), 6.80);
  EXPECT_LE(RibbonBitsPerKey(1'000'000, 0.001), 10.1);
}

}  // namespace
}  // namespace siltstone
