#pragma once

#include <cstdint>
#include <string_view>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace siltstone {

// The hash of a user key (XXH3, 64 bits). With the secret seed of a database nobody outside can
// craft keys that collide. Computed once per read; everything else is derived from it with Remix.
inline uint64_t HashKey(std::string_view key, uint64_t seed) {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

// A bijection of 64-bit words under which each bit of the input flips each bit of the output with a
// chance of one half: two rounds of "fold the high half down, multiply by an odd constant". The
// constants are the first 64 fraction bits of the golden ratio, of sqrt(3) and of cbrt(2), made
// odd; hash_test measures the avalanche. On disk (filters, checksums): never change.
inline constexpr uint64_t Remix(uint64_t word) {
  word += 0x9e3779b97f4a7c15;
  word ^= word >> 32;
  word *= 0xbb67ae8584caa73b;
  word ^= word >> 29;
  word *= 0x428a2f98d728ae23;
  word ^= word >> 32;
  return word;
}

// Maps a hash to [0, n) by its high bits, without a division: floor(hash * n / 2^64). Each result
// has between floor(2^64 / n) and that plus one hashes. Zero when n is.
inline constexpr uint64_t FastRange64(uint64_t hash, uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(hash) * n) >> 64);
}

}  // namespace siltstone
