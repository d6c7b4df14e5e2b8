#include "engine/write/write_stall.h"

#include <gtest/gtest.h>

namespace siltstone {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(WriteStall, FollowsTheTable) {
  struct Case {
    WriteStallInputs inputs;
    bool memtable_full;
    bool stop;
    uint64_t mib_per_second;  // 0: no delay
  };
  // Level-0 runs, waiting memtables, pending bytes; full; stop, rate.
  const Case cases[] = {
      {{0, 0, 0}, false, false, 0},
      {{0, 0, 0}, true, false, 0},
      {{12, 0, 0}, false, false, 0},
      {{16, 0, 0}, false, false, 32},
      {{20, 0, 0}, false, false, 16},
      {{24, 0, 0}, false, false, 8},
      {{36, 0, 0}, false, false, 1},
      {{63, 0, 0}, true, false, 1},
      {{64, 0, 0}, false, true, 0},
      {{1000, 0, 0}, false, true, 0},
      {{0, 2, 0}, true, false, 0},
      {{0, 3, 0}, false, false, 32},
      {{0, 4, 0}, false, false, 16},
      {{0, 4, 0}, true, true, 0},
      {{0, 9, 0}, true, true, 0},
      {{20, 3, 0}, false, false, 16},
      {{13, 4, 0}, false, false, 16},
      {{0, 0, 64 * kGiB}, false, false, 0},
      {{0, 0, 160 * kGiB}, false, false, 8},
      {{0, 0, 256 * kGiB}, false, false, 1},
      {{0, 0, UINT64_MAX}, true, false, 1},
      {{36, 0, 160 * kGiB}, false, false, 1},
  };
  for (const Case& c : cases) {
    const WriteStall stall = ComputeWriteStall(c.inputs, {}, 1000, c.memtable_full);
    SCOPED_TRACE(testing::Message() << c.inputs.level0_runs << " " << c.inputs.immutable_memtables
                                    << " " << c.inputs.pending_compaction_bytes);
    EXPECT_EQ(stall.stop, c.stop);
    EXPECT_EQ(stall.bytes_per_second, c.mib_per_second * kMiB);
    EXPECT_EQ(stall.delay_micros,
              c.mib_per_second == 0 ? 0 : 1'000'000'000 / (c.mib_per_second * kMiB));
  }
}

TEST(WriteStall, TheRateFallsByTheSameFactorWithEachRun) {
  double last = 64.0 * kMiB;
  for (size_t runs = 13; runs <= 36; ++runs) {
    const WriteStall stall =
        ComputeWriteStall({.level0_runs = runs}, WriteStallLimits{}, kMiB, false);
    const double rate = static_cast<double>(stall.bytes_per_second);
    EXPECT_NEAR(rate / last, 0.8409, 0.0001) << runs;  // 64^(-1/24)
    last = rate;
  }
}

TEST(WriteStall, DelaysGrowWithTheWriteUpToALimit) {
  const WriteStallInputs slowest = {.level0_runs = 36};
  EXPECT_EQ(ComputeWriteStall(slowest, {}, 0, false).delay_micros, 0u);
  EXPECT_EQ(ComputeWriteStall(slowest, {}, kMiB / 2, false).delay_micros, 500'000u);
  EXPECT_EQ(ComputeWriteStall(slowest, {}, 64 * kMiB, false).delay_micros, 1'000'000u);
  EXPECT_EQ(ComputeWriteStall(slowest, {}, UINT64_MAX, false).delay_micros, 1'000'000u);
}

// With one or two memtables to wait for a flush, writing into the active one meanwhile is the normal state.
TEST(WriteStall, OneMemtableInTheFlushDelaysNobody) {
  for (const size_t stop : {1, 2, 3}) {
    WriteStallLimits limits;
    limits.immutable_memtables_stop = stop;
    const WriteStallInputs one = {.level0_runs = 0, .immutable_memtables = 1};
    EXPECT_EQ(ComputeWriteStall(one, limits, 1000, false).bytes_per_second, 0u) << stop;
    EXPECT_EQ(ComputeWriteStall(one, limits, 1000, true).stop, stop == 1) << stop;
  }
}

// Asks for a sleep every so often, and gets the rate right all the same.
TEST(WritePacer, SmallWritesAddUpToOneSleep) {
  const WriteStallLimits limits;
  const WriteStall stall = ComputeWriteStall({.level0_runs = 36}, limits, 100, false);
  WritePacer pacer;
  uint64_t now = 5'000'000, slept = 0, sleeps = 0;
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t micros = pacer.MicrosToSleep(stall, 100, now, limits);
    if (micros != 0) {
      EXPECT_GE(micros, WritePacer::kMinSleepMicros);
      ++sleeps;
    }
    slept += micros;
    now += micros;
  }
  EXPECT_NEAR(static_cast<double>(slept), 1e7 / 1.048576, 2000.0);
  EXPECT_LT(sleeps, 10'000u);
}

TEST(WritePacer, TimeThatPassesAnywayCounts) {
  const WriteStallLimits limits;
  const WriteStall stall = ComputeWriteStall({.level0_runs = 36}, limits, 1000, false);
  WritePacer pacer;
  uint64_t now = 5'000'000;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(pacer.MicrosToSleep(stall, 1000, now, limits), 0u);
    now += 1000;  // slower than the rate by itself
  }
}

TEST(WritePacer, NothingIsOwedOnceTheShortageIsOver) {
  const WriteStallLimits limits;
  const WriteStall slow = ComputeWriteStall({.level0_runs = 36}, limits, kMiB, false);
  WritePacer pacer;
  EXPECT_EQ(pacer.MicrosToSleep(slow, 100 * kMiB, 1000, limits), limits.max_delay_micros);
  EXPECT_EQ(pacer.MicrosToSleep({}, kMiB, 1000, limits), 0u);
  EXPECT_EQ(pacer.MicrosToSleep(slow, 100, 1000, limits), 0u);
}

}  // namespace
}  // namespace siltstone
