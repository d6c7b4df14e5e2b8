#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/filter_policy.h"
#include "base/hash.h"
#include "filter/filter_block.h"

// The textbook Bloom filter: m and k exactly as the formulas give them, k bits anywhere among the m.
//
// The kind to compare with and to reason about. A probe touches one cache line a set bit it meets (two on average for
// an absent key), so the cache-line Bloom is the faster one for any filter that is larger than a cache.

namespace siltstone {

// The seed of a key's positions in the filter with this salt.
inline uint64_t StandardBloomSeed(uint64_t hash, uint64_t salt) { return Remix(hash ^ salt); }

// The bit of probe 0, 1, ... in [0, bits). Each probe remixes all 64 bits of the seed: positions are independent also
// for filters of a few bits (plain double hashing is not) and for more than 2^32 bits (halves of a hash are not).
// On disk: never change.
inline uint64_t StandardBloomPosition(uint64_t seed, uint32_t probe, uint64_t bits) {
  return FastRange64(Remix(seed + probe * 0x9e3779b97f4a7c15), bits);
}

// Thread-compatible. Memory: 8 bytes a key until Finish, and the filter.
class StandardBloomBuilder final : public FilterBuilder {
 public:
  // REQUIRES: 0 < fp_chance <= 1.
  StandardBloomBuilder(double fp_chance, uint64_t salt) : fp_chance_(fp_chance), salt_(salt) {}

  void Add(uint64_t hash) override { hashes_.push_back(hash); }
  std::string Finish() override;

 private:
  const double fp_chance_;
  const uint64_t salt_;
  std::vector<uint64_t> hashes_;
};

// Immutable and thread-safe. Keeps the block it was opened on (a copy of exactly its size when the
// string has much room to spare).
class StandardBloomReader final : public FilterReader {
 public:
  // REQUIRES: `header` is what ParseFilterBlock said of `block`, and the kind is kStandardBloom.
  StandardBloomReader(const FilterBlockHeader& header, std::string block);

  bool MayContain(uint64_t hash) const override;
  void MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const override;
  // The first two bits: these decide three of four absent keys.
  void Prefetch(uint64_t hash) const override;
  std::string_view kind_name() const override { return FilterKindName(FilterKind::kStandardBloom); }
  uint64_t key_count() const override { return header_.key_count; }
  double configured_fp_chance() const override { return header_.configured_fp_chance; }
  // (set bits / m)^k.
  double predicted_fp_rate() const override { return predicted_fp_rate_; }
  size_t memory_bytes() const override { return sizeof(*this) + block_.capacity(); }

 private:
  const char* bits() const { return block_.data() + kFilterHeaderBytes; }

  const FilterBlockHeader header_;
  std::string block_;
  double predicted_fp_rate_;
};

}  // namespace siltstone
