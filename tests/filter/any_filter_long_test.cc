#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filter/any_filter.h"

namespace siltstone {
namespace {

class AnyFilterLong : public testing::TestWithParam<Filter::Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, AnyFilterLong, testing::ValuesIn(BuiltKinds()), KindTestName);

TEST_P(AnyFilterLong, NeverDeniesOneOfTenMillionKeys) {
  constexpr uint64_t kKeys = 10'000'000;
  // Keys of eight bytes beside one another: strings of their own would take a gigabyte.
  std::vector<uint64_t> numbers(kKeys);
  std::vector<std::string_view> keys(kKeys);
  for (uint64_t i = 0; i < kKeys; ++i) {
    numbers[i] = i;
    keys[i] = {reinterpret_cast<const char*>(&numbers[i]), sizeof(numbers[i])};
  }
  const auto filter = Filter::Build(GetParam(), keys);
  ASSERT_TRUE(filter.ok()) << filter.status();
  // Some kinds do not count a key that they took for one that they have: one in a hundred at most.
  EXPECT_GE((*filter)->count(), kKeys / 100 * 99);
  EXPECT_LE((*filter)->count(), kKeys);
  uint64_t denied = 0;
  for (const std::string_view key : keys) denied += (*filter)->MayContain(key) ? 0 : 1;
  EXPECT_EQ(denied, 0u);
}

}  // namespace
}  // namespace siltstone
