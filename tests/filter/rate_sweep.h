#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "filter/bloom_math.h"
#include "filter/table_filter.h"

// Measured against configured rate, cell by cell, for every kind that can be built.
//
// A cell builds several filters of n keys, each with keys and a salt of its own, and asks each as many absent keys. It
// prints how many false positives it had, and is judged with its sampling error, which holds both what binomial
// counts and what the filters themselves scatter.

namespace siltstone {

inline std::vector<FilterKind> BuiltFilterKinds() {
  std::vector<FilterKind> kinds;
  for (const FilterKind kind :
       {FilterKind::kStandardBloom, FilterKind::kBloom, FilterKind::kRibbon}) {
    if (IsFilterKindBuilt(kind)) kinds.push_back(kind);
  }
  return kinds;
}

inline std::string FilterKindTestName(const testing::TestParamInfo<FilterKind>& info) {
  if (info.param == FilterKind::kStandardBloom) return "Standard";
  return info.param == FilterKind::kBloom ? "CacheLine" : "Ribbon";
}

// Key `index` of table `table`, and absent key `index` of it.
inline uint64_t SweepKey(uint64_t table, uint64_t index) { return Remix((table << 40) + index); }
inline uint64_t SweepGhost(uint64_t table, uint64_t index) {
  return SweepKey(table, index + (uint64_t{1} << 39));
}

inline std::unique_ptr<FilterReader> BuildSweepFilter(const FilterOptions& options, uint64_t table,
                                                      uint64_t keys) {
  const std::unique_ptr<FilterPolicy> policy = NewTableFilterPolicy(options);
  std::unique_ptr<FilterBuilder> builder = policy->NewBuilder(Remix(~table));
  for (uint64_t i = 0; i < keys; ++i) builder->Add(SweepKey(table, i));
  auto reader = policy->OpenReader(builder->Finish());
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

// How many of `count` hashes the filter may contain; hash_of(i) is the i-th.
template <typename HashOf>
uint64_t CountMaybe(const FilterReader& filter, uint64_t count, const HashOf& hash_of) {
  constexpr size_t kBatch = 512;
  uint64_t hashes[kBatch];
  bool answers[kBatch];
  uint64_t maybe = 0;
  for (uint64_t start = 0; start < count; start += kBatch) {
    const size_t size = std::min<uint64_t>(kBatch, count - start);
    for (size_t i = 0; i < size; ++i) hashes[i] = hash_of(start + i);
    filter.MayContain({hashes, size}, std::span<bool>(answers, size));
    maybe += static_cast<uint64_t>(std::count(answers, answers + size, true));
  }
  return maybe;
}

struct SweepCell {
  uint64_t keys;
  double chance;
  uint64_t tables;
  double false_positives;  // wanted over all tables
  double most_probes;      // over all tables
};

struct SweepResult {
  double rate = 0;   // measured
  double error = 0;  // one standard deviation of it
  uint64_t false_positives = 0;
};

inline SweepResult MeasureCell(FilterKind kind, const SweepCell& cell) {
  const double tables = static_cast<double>(cell.tables);
  const uint64_t probes = static_cast<uint64_t>(
      std::min(cell.false_positives / cell.chance, cell.most_probes) / tables + 1);
  SweepResult result;
  double squares = 0;
  for (uint64_t table = 0; table < cell.tables; ++table) {
    const auto filter = BuildSweepFilter({kind, cell.chance}, table, cell.keys);
    if (filter == nullptr) return result;
    const uint64_t maybe =
        CountMaybe(*filter, probes, [&](uint64_t i) { return SweepGhost(table, i); });
    result.false_positives += maybe;
    squares += static_cast<double>(maybe) * static_cast<double>(maybe);
  }
  const double count = static_cast<double>(result.false_positives);
  const double asked = static_cast<double>(probes) * tables;
  result.rate = count / asked;
  // The scatter that was seen, but for few tables, and never less than that of counting.
  const double counting = count * (1 - result.rate) + 1;
  const double seen = squares - count * count / tables;
  result.error = std::sqrt(std::max(counting, cell.tables >= 8 ? seen : 0)) / asked;
  return result;
}

// What each kind promises.
inline void ExpectThePromise(FilterKind kind, const SweepCell& cell, const SweepResult& got) {
  double least = 0, most = 0;
  const double p = cell.chance, four = 4 * got.error;
  if (kind == FilterKind::kStandardBloom) {
    // The formula of the textbook is a little low for small filters: up to the rate without its assumption.
    const uint64_t bits = StandardBloomBits(cell.keys, p);
    const int probes = StandardBloomProbes(bits, cell.keys);
    least = StandardBloomRate(bits, cell.keys, probes);
    most = StandardBloomExactRate(bits, cell.keys, probes);
  } else if (kind == FilterKind::kBloom) {
    least = cell.keys >= 10'000 ? 0.97 * p : 0;
    most = 1.02 * p;
  } else {
    least = 0.98 * p;
    most = 1.02 * p;
  }
  std::printf("%-9s n %.0e  p %-6g  %3llu tables %9llu false positives  measured/p %.4f +- %.4f\n",
              FilterKindTestName({kind, 0}).c_str(), static_cast<double>(cell.keys), p,
              static_cast<unsigned long long>(cell.tables),
              static_cast<unsigned long long>(got.false_positives), got.rate / p, got.error / p);
  EXPECT_GE(got.rate, least - four) << cell.keys << " keys at " << p;
  EXPECT_LE(got.rate, most + four) << cell.keys << " keys at " << p;
  EXPECT_GE(got.false_positives, 100u) << "too few to judge: " << cell.keys << " keys at " << p;
}

inline void ExpectNoFalseNegative(FilterKind kind, uint64_t keys, double chance) {
  const auto filter = BuildSweepFilter({kind, chance}, keys, keys);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(CountMaybe(*filter, keys, [&](uint64_t i) { return SweepKey(keys, i); }), keys)
      << keys << " keys at " << chance;
}

}  // namespace siltstone
