#include <gtest/gtest.h>

#include "tests/filter/filter_measurement.h"

// The rates of a million keys at every chance: too slow unoptimised for the fast tests.

namespace siltstone {
namespace {

class FilterRateLong : public testing::TestWithParam<FilterKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, FilterRateLong, testing::ValuesIn(kEveryTableFilter),
                         TableFilterTestName);

TEST_P(FilterRateLong, OfAMillionKeysIsAsComputedAtEveryChance) {
  for (const double chance : {0.9, 0.5, 0.1, 0.01, 0.001, 1e-4, 1e-5}) {
    ExpectTheRate(GetParam(), {1'000'000, 2, 1'000'000}, chance);
  }
}

}  // namespace
}  // namespace siltstone
