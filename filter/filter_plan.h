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

// The chance of the next sub-filter of a scalable filter: 1 - r of what the ones before have left
// of the whole. In the mean these are P (1 - r) r^i, as in the paper; by taking the rates that came
// out the sum stays under P for this very filter. Never below 2^-60, where 64 bits of hash are met
// by chance more often than that.
double SubFilterChance(double chance_left, double tightening);

// Sub-filters are not made for fewer keys than this: the rate of smaller ones scatters too far
// around its mean.
inline constexpr uint64_t kLeastSubFilterKeys = 1024;

struct CuckooSize {
  uint64_t buckets;  // even
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
