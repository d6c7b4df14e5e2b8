#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "filter/bloom_math.h"
#include "filter/table_filter.h"
#include "tests/filter/filter_test_keys.h"

// A filter keeps its word: measured, predicted and computed rates agree within four standard deviations.

namespace siltstone {

struct Trial {
  uint64_t keys;
  uint64_t salts;   // filters built; small filters differ much from one another
  uint64_t probes;  // absent keys asked of each
};

// What the arithmetic promises for such a filter, before it is built.
inline double ComputedRate(FilterKind kind, uint64_t keys, double chance) {
  if (kind == FilterKind::kRibbon) return chance;
  if (kind == FilterKind::kBloom) return SizeCacheLineBloom(keys, chance).rate;
  const uint64_t bits = StandardBloomBits(keys, chance);
  return StandardBloomExactRate(bits, keys, StandardBloomProbes(bits, keys));
}

struct Measurement {
  double false_positives = 0;         // counted
  double expected = 0, variance = 0;  // of that count, given the bits of the filters built
  double predicted = 0, squares = 0;  // sums over the filters built
  uint64_t false_negatives = 0;
};

inline Measurement Measure(const FilterOptions& options, const Trial& trial) {
  const std::unique_ptr<FilterPolicy> policy = NewTableFilterPolicy(options);
  Measurement sum;
  for (uint64_t salt = 1; salt <= trial.salts; ++salt) {
    auto reader = policy->OpenReader(BuildBlock(options, Remix(salt), trial.keys));
    EXPECT_TRUE(reader.ok()) << reader.status();
    if (!reader.ok()) return sum;
    const FilterReader& filter = **reader;
    for (uint64_t i = 0; i < trial.keys; ++i) {
      sum.false_negatives += !filter.MayContain(UserHashes()[i]);
    }
    const uint64_t first = salt * 7919 % (GhostHashes().size() - trial.probes + 1);
    for (uint64_t i = 0; i < trial.probes; ++i) {
      sum.false_positives += filter.MayContain(GhostHashes()[first + i]);
    }
    const double rate = filter.predicted_fp_rate();
    sum.expected += rate * static_cast<double>(trial.probes);
    sum.variance += rate * (1 - rate) * static_cast<double>(trial.probes);
    sum.predicted += rate;
    sum.squares += rate * rate;
  }
  return sum;
}

// Expects it of filters of one kind, size and chance.
inline void ExpectTheRate(FilterKind kind, const Trial& trial, double chance) {
  const std::string where = std::to_string(trial.keys) + " keys at " + std::to_string(chance);
  const Measurement got = Measure({kind, chance}, trial);
  EXPECT_EQ(got.false_negatives, 0u) << where;
  if (trial.keys == 1'000'000) {
    std::printf("%g: measured %.5g %%\n", chance,
                100 * got.false_positives / static_cast<double>(trial.probes * trial.salts));
  }

  // What is counted is binomial around what the set bits predict.
  EXPECT_NEAR(got.false_positives, got.expected, 4 * std::max(1.0, std::sqrt(got.variance)))
      << where;

  // The textbook formula, where it holds: many keys and chances up to 0.3.
  if (kind == FilterKind::kStandardBloom && trial.keys == 1'000'000 && chance < 0.3) {
    const uint64_t bits = StandardBloomBits(trial.keys, chance);
    const double rate = StandardBloomRate(bits, trial.keys, StandardBloomProbes(bits, trial.keys));
    const double probes = static_cast<double>(trial.probes * trial.salts);
    EXPECT_NEAR(got.false_positives, probes * rate, 4 * std::sqrt(probes * rate * (1 - rate)))
        << where;
  }

  // What the set bits predict scatters over the salts around what was computed.
  const double salts = static_cast<double>(trial.salts);
  const double mean = got.predicted / salts;
  const double computed = ComputedRate(kind, trial.keys, chance);
  double deviation = std::sqrt(std::max(0.0, got.squares / salts - mean * mean) / salts);
  // One filter shows no scatter: at a million keys it is a part in five hundred (more below 0.001).
  if (trial.salts <= 3) deviation = computed * 0.01;
  // Nor do filters that are all alike, as those of two keys mostly are.
  deviation = std::max(deviation, 0.02 * computed / std::sqrt(salts));
  EXPECT_NEAR(mean, computed, 4 * deviation + 1e-12) << where;
}

}  // namespace siltstone
