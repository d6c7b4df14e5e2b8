#pragma once

#include <cstdint>

#include "absl/status/status.h"

#include "siltstone/filter.h"

// How large the filters of <siltstone/filter.h> become. bloom_math.h has the arithmetic of Bloom
// filters; here is what the other kinds add to it, and the plan that joins them all.
//
// Thread safety: pure functions.

namespace siltstone {

inline constexpr uint64_t kMaxFilterCapacity = uint64_t{1} << 40;

// The legal ranges of keys and chances. InvalidArgument names argument, value and range.
absl::Status CheckCapacity(uint64_t capacity);
absl::Status CheckFilterChance(double fp_chance);
absl::Status CheckFilterDesign(const FilterDesign& design);

struct BloomSize {
  uint64_t bits;
  int probes;
};

// The textbook's: FIGURES' m and k. Rounding k lifts the rate a little above the chance.
BloomSize TextbookBloomSize(uint64_t keys, double chance);

// With a rate of at most the chance: of the k beside (m / n) ln 2 the one that takes the fewest
// bits,
//
//   m = ceil(-kn / ln(1 - p^(1/k))),   from p = (1 - e^(-kn/m))^k.
BloomSize StrictBloomSize(uint64_t keys, double chance);

// Sub-filter 0, 1, ... of a scalable filter: P (1 - r) r^i; their sum is P. Never below 2^-60,
// where one of 64 bits of hash is met by chance more often than that.
double SubFilterChance(double total_chance, double tightening, int index);

struct CuckooSize {
  uint64_t buckets;
  int fingerprint_bits;
};
inline constexpr int kCuckooSlotsPerBucket = 4;

// Slots for the capacity at a load of 95 %, and a few buckets more, which a small filter needs;
// then the shortest fingerprint that keeps the chance.
CuckooSize SizeCuckoo(uint64_t capacity, double chance);

// An absent key is compared with the fingerprints of two buckets of four slots, a share `load` of
// which are in use; each is one of 2^f - 1 values: 1 - (1 - 1 / (2^f - 1))^(8 load).
double CuckooRate(int fingerprint_bits, double load);

}  // namespace siltstone
