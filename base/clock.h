#pragma once

#include <chrono>
#include <cstdint>

namespace siltstone {

// Time since some fixed moment of this machine; never goes back. For durations only.
inline uint64_t NowNanos() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}
inline uint64_t NowMicros() { return NowNanos() / 1000; }

}  // namespace siltstone
