#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/crash/power_cut_runner.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// SILTSTONE_POWER_CUTS asks for more or fewer.
uint64_t CutCount() {
  const char* text = std::getenv("SILTSTONE_POWER_CUTS");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 10'000;
}

class PowerCutLong : public testing::TestWithParam<bool> {};

TEST_P(PowerCutLong, LosesNothing) {
  const uint64_t seed = TestSeed(1000);
  const PowerCutReport report = RunPowerCuts(seed, GetParam(), CutCount());
  std::cout << report.ToString() << "\n";
  EXPECT_EQ(report.failure, "") << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Durability, PowerCutLong, testing::Bool(), [](const auto& info) {
  return info.param ? std::string("Sync") : std::string("Buffered");
});

}  // namespace
}  // namespace siltstone
