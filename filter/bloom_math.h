#pragma once

#include <cstdint>

// The arithmetic of Bloom filters: how many bits for how many keys, and which rate follows.
//
//   const uint64_t bits = StandardBloomBits(1'000'000, 0.01);             // 9,585,059
//   const int probes = StandardBloomProbes(bits, 1'000'000);              // 7
//   const double rate = StandardBloomRate(bits, 1'000'000, probes);       // 0.01004
//   const CacheLineBloomSize size = SizeCacheLineBloom(1'000'000, 0.01);  // 9.92 bits a key
//
// A rate is the chance that a filter says "maybe" for a key it does not hold, before the filter is built: the mean
// over all hash functions. Chances are probabilities, 0 < p <= 1. docs/filters.md derives the formulas.
//
// Thread safety: pure functions. Cost: constant time, but for the two functions where it is said.

namespace siltstone {

// Bits of a line of the cache-line Bloom: one cache line.
inline constexpr uint64_t kLineBits = 512;

// --- the textbook filter: k hash functions over m bits ---

// m = ceil(-n ln p / (ln 2)^2), at least 1. (B. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable
// Errors", CACM 13(7), 1970; in this form A. Broder, M. Mitzenmacher, "Network Applications of Bloom Filters:
// A Survey", Internet Mathematics 1(4), 2004.)
uint64_t StandardBloomBits(uint64_t keys, double chance);

// k = max(1, round((m / n) ln 2)).
int StandardBloomProbes(uint64_t bits, uint64_t keys);

// p(m, n, k) = (1 - e^(-kn/m))^k. It takes each bit for set independently of the others, and so is a little low
// for small filters. REQUIRES: bits > 0.
double StandardBloomRate(uint64_t bits, uint64_t keys, int probes);

// The same without that assumption: E[(X / m)^k], X the number of distinct bits after nk uniform throws into m.
// (P. Bose et al., "On the false-positive rate of Bloom filters", IPL 108(4), 2008.) REQUIRES: bits > 0.
// Cost: O(nk * k) for nk <= 65,536; above, an expansion whose error is of order 1/m^2.
double StandardBloomExactRate(uint64_t bits, uint64_t keys, int probes);

// --- the filter of whole cache lines: one line of 512 bits a key, k bits in it ---

// The exact rate of n keys in B lines: keys fall unevenly on the lines, so
//
//   sum over j of Binom(n, 1/B)(j) * E[(X_jk / 512)^k],   X_t the distinct bits after t uniform throws into 512.
//
// (F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", WEA 2007, give the Poisson
// limit of it with the textbook rate inside.) All terms are positive and the weights are normalised by their own
// sum, so no digits cancel: good to about 12 digits for n up to 2^32 and beyond. REQUIRES: lines > 0, probes > 0.
// Cost: O(sqrt(n/B)) terms, and O(n/B * k^2) for the second factor.
double CacheLineBloomRate(uint64_t keys, uint64_t lines, int probes);

struct CacheLineBloomSize {
  uint64_t lines;
  int probes;
  double rate;  // at most the chance asked for
};

// The inverse: the least number of lines whose rate, over all numbers of probes, is at most `chance`; of the numbers
// of probes that reach it with those lines the smallest, which is the fastest and nearest to the chance.
// Below kSmallestChance it is sized for kSmallestChance. Cost: tenths of a millisecond for p >= 1e-4.
CacheLineBloomSize SizeCacheLineBloom(uint64_t keys, double chance);

// No filter is sized for less: with 2^24 keys the chance that a 64-bit hash is met by another key's is as large.
inline constexpr double kSmallestChance = 0x1p-40;

// No filter has more probes.
inline constexpr int kMaxProbes = 64;

// log2(1/p): the bits a key that no filter can do without.
double LeastBitsPerKey(double chance);

}  // namespace siltstone
