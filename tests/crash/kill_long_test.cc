#include <stdlib.h>

#include <filesystem>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/crash/kill_runner.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

TEST(Kill, AcknowledgedWritesAndWholeBatchesSurvive) {
  const uint64_t seed = TestSeed();
  std::string directory = std::filesystem::temp_directory_path() / "siltstone-kill-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const KillReport report = RunKills(directory, seed, /*rounds=*/200);
  std::filesystem::remove_all(directory);
  std::cout << report.kills << " kills, " << report.kills_during_jobs << " during a job, "
            << report.acknowledged << " operations acknowledged, " << report.unacknowledged_kept
            << " more kept\n";
  EXPECT_EQ(report.failure, "") << "seed " << seed;
  EXPECT_EQ(report.kills, 200);
  EXPECT_GE(report.kills_during_jobs, report.kills / 2);
}

}  // namespace
}  // namespace siltstone
