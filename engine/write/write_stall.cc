#include "engine/write/write_stall.h"

#include <algorithm>
#include <cmath>

namespace siltstone {
namespace {

// 0 up to `first`, 1 from `last` on, and evenly between.
double Position(uint64_t value, uint64_t first, uint64_t last) {
  if (value <= first) return 0;
  if (value >= last) return 1;
  return static_cast<double>(value - first) / static_cast<double>(last - first);
}

// From `max` at position 0 to `min` at 1, by equal factors for equal steps.
double Rate(double position, uint64_t max, uint64_t min) {
  return static_cast<double>(max) *
         std::pow(static_cast<double>(min) / static_cast<double>(max), position);
}

// Bytes a second to let through; 0: no limit. The scarcest of the three decides.
double AllowedRate(const WriteStallInputs& inputs, const WriteStallLimits& limits) {
  const double waiting =
      std::max(Position(inputs.level0_runs, limits.level0_delay_runs, limits.level0_slowest_runs),
               Position(inputs.pending_compaction_bytes, limits.pending_bytes_delay,
                        limits.pending_bytes_slowest));
  const double memtables =
      Position(inputs.immutable_memtables, (limits.immutable_memtables_stop + 1) / 2,
               limits.immutable_memtables_stop);
  double rate = 0;
  if (waiting > 0) {
    rate = Rate(waiting, limits.max_bytes_per_second, limits.min_bytes_per_second);
  }
  if (memtables > 0) {
    const double flush_rate =
        Rate(memtables, limits.max_bytes_per_second, limits.min_flush_bytes_per_second);
    rate = rate == 0 ? flush_rate : std::min(rate, flush_rate);
  }
  return rate;
}

}  // namespace

WriteStall ComputeWriteStall(const WriteStallInputs& inputs, const WriteStallLimits& limits,
                             uint64_t bytes, bool memtable_full) {
  WriteStall stall;
  stall.stop = inputs.level0_runs >= limits.level0_stop_runs ||
               (memtable_full && inputs.immutable_memtables >= limits.immutable_memtables_stop);
  if (stall.stop) return stall;
  const double rate = AllowedRate(inputs, limits);
  if (rate == 0) return stall;
  stall.bytes_per_second = std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(rate)));
  const double micros = static_cast<double>(bytes) * 1e6 / rate;
  stall.delay_micros =
      static_cast<uint64_t>(std::min(micros, static_cast<double>(limits.max_delay_micros)));
  return stall;
}

uint64_t WritePacer::MicrosToSleep(const WriteStall& stall, uint64_t bytes, uint64_t now_micros,
                                   const WriteStallLimits& limits) {
  const uint64_t now_nanos = now_micros * 1000;
  paid_until_nanos_ = std::max(paid_until_nanos_, now_nanos);
  if (stall.bytes_per_second == 0) {
    paid_until_nanos_ = now_nanos;  // what was owed belonged to a shortage that is over
    return 0;
  }
  const double nanos =
      static_cast<double>(bytes) * 1e9 / static_cast<double>(stall.bytes_per_second);
  const uint64_t most_nanos = limits.max_delay_micros * 1000;
  paid_until_nanos_ += static_cast<uint64_t>(std::min(nanos, static_cast<double>(most_nanos)));
  paid_until_nanos_ = std::min(paid_until_nanos_, now_nanos + most_nanos);
  const uint64_t owed_micros = (paid_until_nanos_ - now_nanos) / 1000;
  return owed_micros < kMinSleepMicros ? 0 : owed_micros;
}

}  // namespace siltstone
