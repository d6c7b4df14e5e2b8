#include "filter/allocation.h"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "filter/bloom_math.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

std::vector<FilterRun> RunsOf(const std::vector<uint64_t>& keys, FilterKind kind) {
  std::vector<FilterRun> runs;
  for (const uint64_t n : keys) runs.push_back({n, kind});
  return runs;
}

double Sum(const std::vector<double>& chances) {
  return std::accumulate(chances.begin(), chances.end(), 0.0);
}

double Bits(const std::vector<FilterRun>& runs, const std::vector<double>& chances) {
  double bits = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    bits += static_cast<double>(runs[i].keys) * FilterBitsPerKey(runs[i].kind, chances[i]);
  }
  return bits;
}

double UniformBits(const std::vector<FilterRun>& runs, double chance) {
  return Bits(runs, std::vector<double>(runs.size(), chance));
}

constexpr FilterKind kKinds[] = {FilterKind::kStandardBloom, FilterKind::kBloom,
                                 FilterKind::kRibbon};

TEST(Allocation, EqualRunsGetTheSameChance) {
  for (const FilterKind kind : kKinds) {
    for (const double chance : AllocateChances(RunsOf({5000, 5000, 5000}, kind), 0.01)) {
      EXPECT_NEAR(chance, 0.01, 1e-9);
    }
    EXPECT_NEAR(AllocateChances(RunsOf({77}, kind), 0.25)[0], 0.25, 1e-9);
  }
  EXPECT_TRUE(AllocateChances({}, 0.01).empty());
}

TEST(Allocation, FollowsTheClosedFormWhereBitsAreALogarithm) {
  const std::vector<uint64_t> keys = {20'000, 200'000, 2'000'000, 20'000'000};
  const std::vector<double> chances =
      AllocateChances(RunsOf(keys, FilterKind::kStandardBloom), 0.01);
  const double total = 22'220'000;
  double entropy = 0;
  for (const uint64_t n : keys) {
    const double share = static_cast<double>(n) / total;
    entropy -= share * std::log(share);
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    const double expected = 0.01 * std::exp(entropy) * static_cast<double>(keys[i]) / total;
    EXPECT_NEAR(chances[i] / expected, 1, 1e-6);
  }
  EXPECT_NEAR(0.04 / Sum(chances), AllocationGain(keys), 1e-6);
}

TEST(Allocation, TheGainIsWhatIsKnown) {
  EXPECT_NEAR(AllocationGain(std::vector<uint64_t>{1, 10, 100}), 2.1, 0.05);
  EXPECT_NEAR(AllocationGain(std::vector<uint64_t>{1, 10, 100, 1000, 10'000}), 3.5, 0.05);
  EXPECT_NEAR(AllocationGain(std::vector<uint64_t>{7, 7, 7, 0}), 1, 1e-9);
  EXPECT_EQ(AllocationGain({}), 1);
}

TEST(Allocation, SpendsTheMemoryOfTheUniformChance) {
  const uint64_t seed = TestSeed();
  std::mt19937_64 random(seed);
  for (int round = 0; round < 100; ++round) {
    std::vector<FilterRun> runs(1 + random() % 9);
    for (FilterRun& run : runs) run = {1 + random() % (1 << (random() % 24)), kKinds[random() % 3]};
    const double chance = std::exp(-static_cast<double>(random() % 1000) / 100 - 0.01);
    const std::vector<double> chances = AllocateChances(runs, chance);
    EXPECT_NEAR(Bits(runs, chances) / UniformBits(runs, chance), 1, 1e-6);
    EXPECT_LE(Sum(chances), static_cast<double>(runs.size()) * chance * (1 + 1e-9));
    for (const double one : chances) {
      EXPECT_GT(one, 0);
      EXPECT_LE(one, 1);
    }
  }
}

TEST(Allocation, NoOtherSpreadOfTheSameMemoryWastesLess) {
  // Moves memory between two runs at a time: the sum of the chances only grows.
  const std::vector<FilterRun> runs =
      RunsOf({1000, 30'000, 500'000, 10'000'000}, FilterKind::kStandardBloom);
  const std::vector<double> best = AllocateChances(runs, 0.02);
  for (size_t from = 0; from < runs.size(); ++from) {
    for (size_t to = 0; to < runs.size(); ++to) {
      if (from == to) continue;
      std::vector<double> other = best;
      const double moved = 0.01 * static_cast<double>(std::min(runs[from].keys, runs[to].keys));
      other[from] *= std::exp(moved / static_cast<double>(runs[from].keys));
      other[to] *= std::exp(-moved / static_cast<double>(runs[to].keys));
      EXPECT_NEAR(Bits(runs, other), Bits(runs, best), 1e-3);
      EXPECT_GT(Sum(other), Sum(best));
    }
  }
}

TEST(Allocation, AChanceAboveOneIsGivenToTheOthers) {
  // Uncapped, the large run would get a chance of 1.3.
  const std::vector<FilterRun> runs = RunsOf({10'000, 10'000'000}, FilterKind::kStandardBloom);
  const std::vector<double> chances = AllocateChances(runs, 0.999);
  EXPECT_EQ(chances[1], 1);
  EXPECT_LT(chances[0], 0.999);
  EXPECT_NEAR(Bits(runs, chances) / UniformBits(runs, 0.999), 1, 1e-6);
}

TEST(Allocation, AChanceOfOneStaysOne) {
  for (const double chance : AllocateChances(RunsOf({10, 1000}, FilterKind::kBloom), 1)) {
    EXPECT_EQ(chance, 1);
  }
}

TEST(Allocation, RunsWithoutKeysCountForNothing) {
  const std::vector<double> with = AllocateChances(RunsOf({0, 100, 0, 9000}, kKinds[0]), 0.01);
  const std::vector<double> without = AllocateChances(RunsOf({100, 9000}, kKinds[0]), 0.01);
  EXPECT_EQ(with[0], 0.01);
  EXPECT_NEAR(with[1], without[0], 1e-12);
  EXPECT_NEAR(with[3], without[1], 1e-12);
}

TEST(Allocation, NoFilterIsAskedForLessThanTheSmallestChance) {
  const std::vector<FilterRun> runs = RunsOf({1, 1'000'000'000}, FilterKind::kBloom);
  EXPECT_GE(AllocateChances(runs, 1e-9)[0], kSmallestChance);
}

TEST(Allocation, BitsAKeyAreThoseOfTheModels) {
  constexpr uint64_t kKeys = 2'000'000;
  for (const double chance : {0.9, 0.6, 0.5, 0.4, 0.3, 0.1, 0.03, 0.01, 0.0013, 1e-4, 3e-6}) {
    const double standard = static_cast<double>(StandardBloomBits(kKeys, chance)) / kKeys;
    EXPECT_NEAR(FilterBitsPerKey(FilterKind::kStandardBloom, chance) / standard, 1, 1e-4);
    const CacheLineBloomSize size = SizeCacheLineBloom(kKeys, chance);
    const double lines = static_cast<double>(size.lines) * kLineBits / kKeys;
    EXPECT_NEAR(FilterBitsPerKey(FilterKind::kBloom, chance) / lines, 1, 0.01) << chance;
  }
  EXPECT_EQ(FilterBitsPerKey(FilterKind::kBloom, 1), 0);
  EXPECT_GT(FilterBitsPerKey(FilterKind::kBloom, 1e-30), 50);
}

}  // namespace
}  // namespace siltstone
