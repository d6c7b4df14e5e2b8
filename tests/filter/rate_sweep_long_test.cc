#include <gtest/gtest.h>

#include "tests/filter/rate_sweep.h"

namespace siltstone {
namespace {

class RateSweepLong : public testing::TestWithParam<std::tuple<FilterKind, double>> {};

INSTANTIATE_TEST_SUITE_P(Kinds, RateSweepLong,
                         testing::Combine(testing::ValuesIn(BuiltFilterKinds()),
                                          testing::Values(0.5, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4)),
                         [](const testing::TestParamInfo<std::tuple<FilterKind, double>>& info) {
                           return FilterKindTestName({std::get<0>(info.param), 0}) + "OneIn" +
                                  std::to_string(std::lround(1 / std::get<1>(info.param)));
                         });

TEST_P(RateSweepLong, EveryTableKeepsItsPromise) {
  const auto& [kind, chance] = GetParam();
  // Two hundred tables where one scatters by more than a part in two hundred.
  const std::pair<uint64_t, uint64_t> sizes[] = {{100, 200},     {1000, 200},     {10'000, 200},
                                                 {100'000, 200}, {1'000'000, 10}, {10'000'000, 2}};
  for (const auto& [keys, tables] : sizes) {
    const SweepCell cell{keys, chance, tables, 40'000, 4e7};
    ExpectThePromise(kind, cell, MeasureCell(kind, cell));
  }
}

class NoFalseNegativeLong : public testing::TestWithParam<FilterKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, NoFalseNegativeLong, testing::ValuesIn(BuiltFilterKinds()),
                         FilterKindTestName);

TEST_P(NoFalseNegativeLong, AmongTenMillionKeys) {
  for (const double chance : {0.1, 0.01}) ExpectNoFalseNegative(GetParam(), 10'000'000, chance);
}

}  // namespace
}  // namespace siltstone
