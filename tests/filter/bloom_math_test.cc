#include "filter/bloom_math.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

struct SizingRow {
  uint64_t keys;
  double chance;
  uint64_t bits;
  double bits_per_key;
  uint64_t bytes;
  int probes;
  double rate;
  double rate_digits;  // half a unit of its last printed digit
};

TEST(StandardBloomMath, ReproducesTheKnownSizes) {
  constexpr SizingRow kRows[] = {
      {1'000'000, 0.1, 4'792'530, 4.793, 599'067, 3, 0.10071, 5e-6},
      {1'000'000, 0.01, 9'585'059, 9.585, 1'198'133, 7, 0.01004, 5e-6},
      {1'000'000, 0.001, 14'377'588, 14.378, 1'797'199, 10, 0.00100002, 5e-9},
      {50'000'000, 0.001, 718'879'379, 14.378, 89'859'923, 10, 0.00100002, 5e-9},
      {1'000'000'000, 0.01, 9'585'058'378, 9.585, 1'198'132'298, 7, 0.01004, 5e-6},
  };
  for (const SizingRow& row : kRows) {
    const uint64_t bits = StandardBloomBits(row.keys, row.chance);
    EXPECT_EQ(bits, row.bits);
    EXPECT_EQ((bits + 7) / 8, row.bytes);
    EXPECT_NEAR(static_cast<double>(bits) / static_cast<double>(row.keys), row.bits_per_key, 5e-4);
    EXPECT_EQ(StandardBloomProbes(bits, row.keys), row.probes);
    EXPECT_NEAR(StandardBloomRate(bits, row.keys, row.probes), row.rate, row.rate_digits);
  }
}

TEST(StandardBloomMath, TenBitsAKeyAndSevenProbesGiveEightInAThousand) {
  EXPECT_NEAR(StandardBloomRate(10'000'000, 1'000'000, 7), 0.0082, 5e-5);
}

TEST(StandardBloomMath, AnOverfullFilterRises) {
  EXPECT_NEAR(StandardBloomRate(9'585'059, 2'000'000, 7), 0.157, 5e-4);
}

TEST(StandardBloomMath, TenTimesFewerFalsePositivesCostAboutFivePercentOfAHundredBits) {
  const double more = static_cast<double>(StandardBloomBits(1'000'000, 0.001) -
                                          StandardBloomBits(1'000'000, 0.01)) /
                      1e6;
  EXPECT_NEAR(more, 4.8, 0.05);
}

TEST(StandardBloomMath, TheSmallestFiltersHaveABitAndAProbe) {
  EXPECT_EQ(StandardBloomBits(0, 0.01), 1u);
  EXPECT_EQ(StandardBloomBits(1, 1.0), 1u);
  EXPECT_EQ(StandardBloomProbes(1, 0), 1);
  EXPECT_EQ(StandardBloomProbes(1, 100), 1);
  EXPECT_EQ(StandardBloomRate(10, 0, 1), 0);
}

// E[(X / cells)^k] by the distribution of X itself.
double MomentByOccupancy(uint64_t cells, uint64_t throws, int probes) {
  std::vector<double> chance(cells + 1, 0.0);
  chance[0] = 1;
  const double n = static_cast<double>(cells);
  for (uint64_t t = 0; t < throws; ++t) {
    for (uint64_t x = cells; x > 0; --x) {
      chance[x] = chance[x] * (static_cast<double>(x) / n) +
                  chance[x - 1] * ((n - static_cast<double>(x - 1)) / n);
    }
    chance[0] = 0;
  }
  double sum = 0;
  for (uint64_t x = 0; x <= cells; ++x) {
    sum += chance[x] * std::pow(static_cast<double>(x) / n, probes);
  }
  return sum;
}

TEST(StandardBloomMath, TheExactRateIsTheMomentOfTheDistinctBits) {
  for (const auto& [bits, keys, probes] : {std::tuple<uint64_t, uint64_t, int>{2, 1, 1},
                                           {20, 1, 13},
                                           {10, 1, 7},
                                           {96, 10, 7},
                                           {192, 10, 13},
                                           {480, 100, 3},
                                           {700, 20, 30}}) {
    const double expected = MomentByOccupancy(bits, keys * static_cast<uint64_t>(probes), probes);
    EXPECT_NEAR(StandardBloomExactRate(bits, keys, probes) / expected, 1, 1e-11) << bits;
  }
}

TEST(StandardBloomMath, TheExactRateMeetsTheTextbookRateAsFiltersGrow) {
  // Both sides of the change from the exact recurrence to the expansion.
  for (const uint64_t keys : {9'362u, 9'363u, 1'000'000u}) {
    const uint64_t bits = StandardBloomBits(keys, 0.01);
    const double ratio = StandardBloomExactRate(bits, keys, 7) / StandardBloomRate(bits, keys, 7);
    EXPECT_GT(ratio, 1) << keys;
    EXPECT_LT(ratio, 1 + 5.0 / static_cast<double>(keys)) << keys;
  }
  EXPECT_NEAR(StandardBloomExactRate(93'620, 9'362, 7) / StandardBloomExactRate(93'630, 9'363, 7),
              1, 1e-6);
}

// --- cache lines ---

double BinomialWeight(uint64_t n, uint64_t j, double q) {
  const double a = static_cast<double>(n), b = static_cast<double>(j);
  return std::exp(std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(a - b + 1) +
                  b * std::log(q) + (a - b) * std::log1p(-q));
}

TEST(CacheLineBloomMath, IsTheSumOfTheModelTermByTerm) {
  for (const auto& [keys, lines, probes] : {std::tuple<uint64_t, uint64_t, int>{1, 2, 3},
                                            {10, 3, 2},
                                            {52, 2, 6},
                                            {100, 2, 7},
                                            {60, 5, 20},
                                            {150, 3, 1}}) {
    double expected = 0;
    for (uint64_t j = 0; j <= keys; ++j) {
      expected += BinomialWeight(keys, j, 1.0 / static_cast<double>(lines)) *
                  MomentByOccupancy(512, j * static_cast<uint64_t>(probes), probes);
    }
    EXPECT_NEAR(CacheLineBloomRate(keys, lines, probes) / expected, 1, 1e-10)
        << keys << " keys, " << lines << " lines, " << probes << " probes";
  }
}

TEST(CacheLineBloomMath, OneLineIsASmallStandardFilter) {
  EXPECT_NEAR(CacheLineBloomRate(50, 1, 7), MomentByOccupancy(512, 350, 7), 1e-14);
  EXPECT_EQ(CacheLineBloomRate(0, 1, 7), 0);
}

TEST(CacheLineBloomMath, BillionsOfKeysLoseNoDigits) {
  // At equal keys a line the rate converges to the Poisson limit as 1/n.
  const double at_2_to_32 = CacheLineBloomRate(uint64_t{1} << 32, 83'198'208, 6);
  const double at_2_to_28 = CacheLineBloomRate(uint64_t{1} << 28, 83'198'208 / 16, 6);
  const double at_2_to_40 = CacheLineBloomRate(uint64_t{1} << 40, uint64_t{83'198'208} * 256, 6);
  EXPECT_NEAR(at_2_to_32, 0.01, 1e-6);
  EXPECT_NEAR(at_2_to_28 / at_2_to_32, 1, 1e-7);
  EXPECT_NEAR(at_2_to_40 / at_2_to_32, 1, 1e-8);
}

TEST(CacheLineBloomMath, AnOverfullFilterSaysMaybe) {
  EXPECT_NEAR(CacheLineBloomRate(uint64_t{1} << 32, 1, 6), 1, 1e-12);
  EXPECT_NEAR(CacheLineBloomRate(uint64_t{1} << 32, 1000, 6), 1, 1e-12);
}

TEST(CacheLineBloomMath, NeedsTheKnownBitsAKey) {
  constexpr std::pair<double, double> kKnown[] = {
      {0.1, 4.836}, {0.01, 9.918}, {0.001, 15.55}, {1e-4, 22.0}};
  for (const auto& [chance, bits_per_key] : kKnown) {
    const CacheLineBloomSize size = SizeCacheLineBloom(100'000'000, chance);
    EXPECT_NEAR(static_cast<double>(size.lines) * 512 / 1e8 / bits_per_key, 1, 2e-3) << chance;
  }
}

TEST(CacheLineBloomMath, NoFewerLinesReachTheChanceWithAnyNumberOfProbes) {
  for (const uint64_t keys : {1u, 40u, 55u, 90u, 1000u, 20'000u}) {
    for (const double chance : {0.99, 0.5, 0.25, 0.01, 3e-4, 1e-6}) {
      const CacheLineBloomSize size = SizeCacheLineBloom(keys, chance);
      ASSERT_LE(size.rate, chance);
      ASSERT_EQ(size.rate, CacheLineBloomRate(keys, size.lines, size.probes));
      for (int probes = 1; probes <= 24; ++probes) {
        if (size.lines > 1) {
          ASSERT_GT(CacheLineBloomRate(keys, size.lines - 1, probes), chance)
              << keys << " keys, " << chance << ", " << probes << " probes";
        }
        if (probes < size.probes) {
          ASSERT_GT(CacheLineBloomRate(keys, size.lines, probes), chance);
        }
      }
    }
  }
}

TEST(CacheLineBloomMath, TheRateFallsWithEachLine) {
  double last = 1;
  for (uint64_t lines = 1; lines < 60; ++lines) {
    const double rate = CacheLineBloomRate(1000, lines, 5);
    ASSERT_LT(rate, last);
    last = rate;
  }
}

TEST(CacheLineBloomMath, EveryChanceAndEveryNumberOfKeysHasASize) {
  for (const uint64_t keys : {uint64_t{0}, uint64_t{1}, uint64_t{1000}, uint64_t{1} << 32}) {
    for (const double chance : {1e-300, 1e-12, 1 - 1e-16, 1.0}) {
      const CacheLineBloomSize size = SizeCacheLineBloom(keys, chance);
      EXPECT_GE(size.lines, 1u);
      EXPECT_GE(size.probes, 1);
      EXPECT_LE(size.probes, kMaxProbes);
      EXPECT_LE(size.rate, std::max(chance, kSmallestChance));
    }
  }
}

}  // namespace
}  // namespace siltstone
