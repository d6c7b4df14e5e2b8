#include <vector>

#include <gtest/gtest.h>

#include "tests/filter/filter_measurement.h"

namespace siltstone {
namespace {

constexpr Trial kTrials[] = {{1, 300, 300},        {2, 300, 300},    {10, 300, 300},
                             {100, 100, 1000},     {1000, 32, 2000}, {10'000, 8, 10'000},
                             {100'000, 2, 100'000}};
constexpr double kChances[] = {0.5, 0.1, 0.01, 0.001, 1e-4};

class FilterRate : public testing::TestWithParam<FilterKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, FilterRate, testing::ValuesIn(kEveryTableFilter),
                         TableFilterTestName);

TEST_P(FilterRate, IsAsPredictedAndAsComputedForEverySizeAndChance) {
  for (const Trial& trial : kTrials) {
    for (const double chance : kChances) ExpectTheRate(GetParam(), trial, chance);
  }
}

TEST_P(FilterRate, OfAMillionKeysIsAsComputed) {
  // "user:0" ... "user:999999" are in, "ghost:0" ... "ghost:999999" are asked; all chances in the long test.
  ExpectTheRate(GetParam(), {1'000'000, 1, 1'000'000}, 0.01);
}

TEST_P(FilterRate, IsTheConfiguredChanceWhereTheKindCanReachIt) {
  // From 10,000 keys on the line of 512 bits is no longer a coarse unit, and the formula of the standard filter is
  // exact; above 0.3 that formula rounds its number of probes.
  for (const uint64_t keys : {10'000u, 100'000u, 1'000'000u}) {
    for (const double chance : kChances) {
      const double rate = ComputedRate(GetParam(), keys, chance);
      EXPECT_LT(rate, chance * 1.02) << keys << " at " << chance;
      EXPECT_GT(rate, chance * 0.97) << keys << " at " << chance;
    }
  }
}

TEST(CacheLineBloomRate, DoesNotJumpWhereALineIsAdded) {
  // Two lines for 54 keys could give a rate 300 times lower than asked for; fewer probes give one that is nearer.
  for (uint64_t keys = 45; keys < 70; ++keys) {
    const CacheLineBloomSize size = SizeCacheLineBloom(keys, 0.01);
    EXPECT_LE(size.rate, 0.01) << keys;
    EXPECT_GT(size.rate, 0.01 / 4) << keys;
  }
}

}  // namespace
}  // namespace siltstone
