#pragma once

#include <cstddef>
#include <cstdint>

namespace siltstone {

// When writers wait for background work, and how long: pure functions of plain values.
//
// Writers that outrun flushes and compactions must be held back, or memory and the cost of a read
// grow without bound. A sudden stop of seconds hurts more than the same time spread over many
// writes, so the rate at which writes are let through falls step by step, each step by the same
// factor, as more work waits; only at limits far beyond is everything stopped.

// What waits now.
struct WriteStallInputs {
  size_t level0_runs = 0;
  size_t immutable_memtables = 0;         // waiting for a flush, or being flushed
  uint64_t pending_compaction_bytes = 0;  // that compactions must rewrite to restore the shape
};

struct WriteStallLimits {
  // Beyond `delay` runs on level 0 writes are slowed, the most at `slowest`, and stopped at `stop`.
  size_t level0_delay_runs = 12;
  size_t level0_slowest_runs = 36;
  size_t level0_stop_runs = 64;
  // No further memtable is closed while so many wait; slowed when more than half of them do.
  size_t immutable_memtables_stop = 4;
  // Slowed from `delay` on, the most at `slowest`; never stopped.
  uint64_t pending_bytes_delay = uint64_t{64} << 30;
  uint64_t pending_bytes_slowest = uint64_t{256} << 30;

  uint64_t max_bytes_per_second = uint64_t{64} << 20;  // when the delay sets in
  uint64_t min_bytes_per_second = uint64_t{1} << 20;   // at the slowest
  // At the slowest because of memtables: a flush is quick, and writers much slower than it would
  // leave it idle.
  uint64_t min_flush_bytes_per_second = uint64_t{16} << 20;
  // For one write, however large.
  uint64_t max_delay_micros = 1'000'000;
};

struct WriteStall {
  bool stop = false;              // wait until there is room, then ask again
  uint64_t bytes_per_second = 0;  // to let through; 0: no limit
  uint64_t delay_micros = 0;      // for this write at that rate
};

// For a write of `bytes`. `memtable_full`: it needs the active memtable to be closed first.
WriteStall ComputeWriteStall(const WriteStallInputs& inputs, const WriteStallLimits& limits,
                             uint64_t bytes, bool memtable_full);

// Spreads a rate over writes that are too short to sleep for one by one: the delays add up, time
// that passes anyway counts towards them, and a sleep is asked for once it is worth one.
// Thread safety: thread-compatible (the leader of the write queue).
class WritePacer {
 public:
  static constexpr uint64_t kMinSleepMicros = 1000;

  // How long to sleep now, for a write with this stall at the time `now_micros`.
  uint64_t MicrosToSleep(const WriteStall& stall, uint64_t bytes, uint64_t now_micros,
                         const WriteStallLimits& limits);

 private:
  uint64_t paid_until_nanos_ = 0;  // the time at which all writes so far are within their rate
};

}  // namespace siltstone
