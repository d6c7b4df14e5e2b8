#include <gtest/gtest.h>

#include "filter/allocation.h"
#include "tests/engine/filter_waste.h"

// FilterAllocation::kByLevel on trees of exact shape: at the memory of the uniform chance, an absent key wastes as
// many reads fewer as the theory says. filter_allocation_long_test has the same with twenty million keys.

namespace siltstone {
namespace {

void ExpectTheory(const std::vector<uint64_t>& run_keys, uint64_t probes) {
  const auto [uniform, by_level] = CompareAllocations(run_keys, probes, {.fp_chance = 0.02});
  const double bytes = static_cast<double>(uniform.filter_bytes);
  EXPECT_NEAR(static_cast<double>(by_level.filter_bytes) / bytes, 1, 0.01);
  EXPECT_NEAR(uniform.measured() / uniform.predicted, 1, 0.1);
  EXPECT_NEAR(by_level.measured() / by_level.predicted, 1, 0.1);
  EXPECT_NEAR(uniform.measured() / by_level.measured() / AllocationGain(run_keys), 1, 0.1);
}

TEST(FilterAllocation, ByLevelWastesWhatTheTheorySaysOnThreeRuns) {
  ExpectTheory({2'000, 20'000, 200'000}, 150'000);
}

TEST(FilterAllocation, ByLevelWastesWhatTheTheorySaysOnSixRunsOfRatioFour) {
  ExpectTheory({300, 1'200, 4'800, 19'200, 76'800, 307'200}, 150'000);
}

}  // namespace
}  // namespace siltstone
