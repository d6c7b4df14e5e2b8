#include "base/histogram.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

TEST(Histogram, IsZeroWhenEmpty) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.Mean(), 0);
  EXPECT_EQ(histogram.Percentile(50), 0u);
}

TEST(Histogram, SmallNumbersAreExact) {
  Histogram histogram;
  for (const uint64_t value : {1, 2, 3, 31}) histogram.Add(value);
  EXPECT_EQ(histogram.Percentile(0), 1u);
  EXPECT_EQ(histogram.Percentile(50), 2u);
  EXPECT_EQ(histogram.Percentile(75), 3u);
  EXPECT_EQ(histogram.Percentile(100), 31u);
  EXPECT_EQ(histogram.sum(), 37u);
  EXPECT_EQ(histogram.ToString(), "count 4 mean 9.2 min 1 p50 2 p95 31 p99 31 max 31");
}

TEST(Histogram, TakesTheGreatestNumbers) {
  Histogram histogram;
  histogram.Add(0);
  histogram.Add(UINT64_MAX);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), UINT64_MAX);
  EXPECT_EQ(histogram.Percentile(100), UINT64_MAX);
}

TEST(Histogram, PercentilesAreWithinASixteenthAndMergingAddsUp) {
  Random random(TestSeed());
  Histogram merged;
  std::vector<uint64_t> values;
  for (int part = 0; part < 4; ++part) {
    Histogram histogram;
    for (int i = 0; i < 2500; ++i) {
      values.push_back(random.Next() >> (20 + random.Uniform(44)));
      histogram.Add(values.back());
    }
    merged.Merge(histogram);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(merged.count(), values.size());
  EXPECT_EQ(merged.min(), values.front());
  EXPECT_EQ(merged.max(), values.back());
  for (int percent = 1; percent <= 100; ++percent) {
    const uint64_t exact = values[values.size() * static_cast<size_t>(percent) / 100 - 1];
    const uint64_t estimate = merged.Percentile(percent);
    EXPECT_GE(estimate, exact);
    EXPECT_LE(estimate, exact + exact / 16);
  }
}

}  // namespace
}  // namespace siltstone
