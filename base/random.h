#pragma once

#include <cstdint>

#include "base/hash.h"

namespace siltstone {

// 64 bits from the system's random device, mixed with clock, process and a count, so that two draws
// differ even where the device always says the same. For ids, secrets and seeds. Thread-safe.
uint64_t RandomSeed();

// A small, fast, repeatable source of random numbers: the same numbers for the same seed, on every
// machine. Not for secrets. Thread-compatible.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(Remix(seed)) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;  // all 2^64 states in turn
    return Remix(state_);
  }
  // In [0, n). REQUIRES: n > 0.
  uint64_t Uniform(uint64_t n) { return FastRange64(Next(), n); }
  // In [low, high].
  uint64_t Between(uint64_t low, uint64_t high) { return low + Uniform(high - low + 1); }
  // True once in n times. REQUIRES: n > 0.
  bool OneIn(uint64_t n) { return Uniform(n) == 0; }
  // In [0, 1).
  double NextDouble() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace siltstone
