#include "tests/filter/rate_sweep.h"

#include <gtest/gtest.h>

#include "tests/filter/filter_test_keys.h"

// The fast part of the sweep; rate_sweep_long_test has every cell.

namespace siltstone {
namespace {

class RateSweep : public testing::TestWithParam<FilterKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, RateSweep, testing::ValuesIn(BuiltFilterKinds()),
                         FilterKindTestName);

TEST_P(RateSweep, SmallAndMiddlingTablesKeepTheirPromise) {
  for (const uint64_t keys : {100u, 10'000u}) {
    for (const double chance : {0.5, 0.1, 0.01, 1e-3}) {
      const SweepCell cell{keys, chance, 100, 4000, 2e6};
      ExpectThePromise(GetParam(), cell, MeasureCell(GetParam(), cell));
    }
  }
}

TEST_P(RateSweep, NoKeyIsEverDenied) {
  for (const uint64_t keys : {1u, 2u, 3u, 63u, 64u, 65u, 1000u, 100'000u}) {
    for (const double chance : {0.9, 0.1, 0.01, 1e-4}) {
      ExpectNoFalseNegative(GetParam(), keys, chance);
    }
  }
}

TEST_P(RateSweep, OfAMillionUsersAndGhostsIsBinomial) {
  const auto filter = NewTableFilterPolicy({})->OpenReader(
      BuildBlock({GetParam(), 0.01}, /*salt=*/Remix(2), 1'000'000));
  ASSERT_TRUE(filter.ok()) << filter.status();
  EXPECT_EQ(CountMaybe(**filter, 1'000'000, [](uint64_t i) { return UserHashes()[i]; }),
            1'000'000u);
  const double count = static_cast<double>(
      CountMaybe(**filter, 1'000'000, [](uint64_t i) { return GhostHashes()[i]; }));
  const double p =
      GetParam() == FilterKind::kStandardBloom ? StandardBloomRate(9'585'059, 1'000'000, 7) : 0.01;
  std::printf("%s: %.4f %%\n", FilterKindTestName({GetParam(), 0}).c_str(), count / 1e4);
  EXPECT_NEAR(count, 1e6 * p, 4 * std::sqrt(1e6 * p * (1 - p)));
}

}  // namespace
}  // namespace siltstone
