#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "siltstone/db.h"

#include "base/random.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/recorded_workload.h"
#include "tests/support/test_seed.h"

// The power goes after every operation, whatever background work is under way, in four models of what is left: the database opens, everything
// acknowledged under kSync is there, and what is there is a prefix of the history, batches whole.

namespace siltstone {
namespace {

constexpr int kOperations = 120;

class PowerCut : public testing::TestWithParam<bool> {
 protected:
  void CheckImage(const CrashFileSystem& disk, PowerCutMode mode, uint64_t call) {
    const std::string when =
        "call " + std::to_string(call) + ", mode " + std::to_string(static_cast<int>(mode));
    const uint64_t acknowledged = workload_->acknowledged();
    const std::shared_ptr<CrashFileSystem> image = disk.ImageAfterPowerCut(mode, call);
    for (int round = 0; round < 2; ++round) {
      auto db = DB::Open(RecordedWorkload::SmallOptions(image), "/db");
      ASSERT_TRUE(db.ok()) << when << ": " << db.status();
      const absl::StatusOr<RecordedWorkload::State> state = ReadAll(**db);
      ASSERT_TRUE(state.ok()) << when << ": " << state.status();
      uint64_t operations = 0;
      EXPECT_TRUE(workload_->IsPrefix(*state, GetParam() ? acknowledged : 0, &operations)) << when;
      ++images_;
      // Again, after a cut at once behind the recovery.
      db->reset();
      image->PowerCut(mode, call + 1);
    }
  }

  std::unique_ptr<RecordedWorkload> workload_;
  uint64_t images_ = 0;
};

TEST_P(PowerCut, LosesNothingThatWasAcknowledgedAsSynced) {
  const uint64_t seed = TestSeed();
  workload_ = std::make_unique<RecordedWorkload>(seed);
  auto disk = std::make_shared<CrashFileSystem>();
  auto counting = std::make_shared<FaultFileSystem>(disk);
  Options options = RecordedWorkload::SmallOptions(counting);
  options.max_background_jobs = 1;
  Random random(seed);
  uint64_t call = 0;
  auto db = DB::Open(options, "/db");
  ASSERT_TRUE(db.ok()) << db.status();
  for (int i = 0; i < kOperations && !HasFailure(); ++i) {
    ASSERT_EQ(workload_->Run(**db, 1, GetParam()), absl::OkStatus());
    for (const PowerCutMode mode : kAllPowerCutModes) CheckImage(*disk, mode, ++call);
  }
  db->reset();
  EXPECT_GT(images_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Durability, PowerCut, testing::Bool(), [](const auto& info) {
  return info.param ? std::string("Sync") : std::string("Buffered");
});

}  // namespace
}  // namespace siltstone
