#include <iostream>

#include <gtest/gtest.h>

#include "tests/crash/power_cut_runner.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

void ExpectCutsLoseNothing(bool sync, uint64_t cuts) {
  const uint64_t seed = TestSeed();
  const PowerCutReport report = RunPowerCuts(seed, sync, cuts);
  std::cout << report.ToString() << "\n";
  EXPECT_EQ(report.failure, "") << "seed " << seed;
  EXPECT_GE(report.cuts, cuts);
  EXPECT_GT(report.cuts_in_recovery, cuts / 20);
}

TEST(PowerCut, LosesNothingThatWasAcknowledgedAsSynced) { ExpectCutsLoseNothing(true, 1000); }
TEST(PowerCut, LeavesAPrefixOfWhatWasBuffered) { ExpectCutsLoseNothing(false, 1000); }

}  // namespace
}  // namespace siltstone
