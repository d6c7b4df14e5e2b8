#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/thread_slot.h"

namespace siltstone {

// N counters that many threads add to without sharing a cache line.
//
//   enum Counter : size_t { kChecked, kNegative, kCounterCount };
//   StripedCounters<kCounterCount> counters;
//   counters.Add(kChecked, 1);
//
// Invariants:
//   I1. A thread whose slot is below kStripes is the only writer of that stripe: it adds with a
//   plain load
//       and store. The other threads share the last stripe and add atomically.
//   I2. Sum is exact when no Add is under way, and otherwise between the sums before and after
//   those.
// Thread safety: thread-safe. Cost: Add a few instructions on the thread's own lines; Sum one load
// a stripe; 65 * N * 8 bytes of memory, rounded up to lines.
template <size_t N>
class StripedCounters {
 public:
  static constexpr size_t kStripes = 64;

  StripedCounters() = default;
  StripedCounters(const StripedCounters&) = delete;
  StripedCounters& operator=(const StripedCounters&) = delete;

  // REQUIRES: counter < N.
  void Add(size_t counter, uint64_t n) {
    const size_t slot = ThreadSlot();
    if (__builtin_expect(slot < kStripes, 1)) {
      std::atomic<uint64_t>& own = stripes_[slot].counters[counter];
      own.store(own.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    } else {
      stripes_[kStripes].counters[counter].fetch_add(n, std::memory_order_relaxed);
    }
  }

  uint64_t Sum(size_t counter) const {
    uint64_t sum = 0;
    for (const Stripe& stripe : stripes_) {
      sum += stripe.counters[counter].load(std::memory_order_relaxed);
    }
    return sum;
  }

 private:
  struct alignas(kCacheLineBytes) Stripe {
    std::array<std::atomic<uint64_t>, N> counters{};
  };

  std::array<Stripe, kStripes + 1> stripes_;
};

}  // namespace siltstone
