#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/filter_policy.h"
#include "base/hash.h"
#include "filter/filter_block.h"

// The cache-line Bloom filter: a key has one line of 512 bits, and k bits in it.
//
// A probe is one cache miss and has no branch that depends on the key. The price is about 0.33 bits a key at 1 % and
// 2.8 at 0.01 %, because keys fall unevenly on the lines; the exact model of bloom_math.h sizes for that.

namespace siltstone {

// A key's line and the seed of its bits. On disk, like all of this: never change.
inline uint64_t CacheLineBloomSeed(uint64_t hash, uint64_t salt) { return Remix(hash ^ salt); }
inline uint64_t CacheLineBloomLine(uint64_t seed, uint64_t lines) {
  return FastRange64(seed, lines);
}

// Bits of a line come in groups of seven from one remixed word: bits [9i, 9i + 9) of word g are the position of probe
// 7g + i. Of those the low six are the place in a 64-bit word of the line and the high three which of its eight words:
// so a vector unit can take a whole group at once, with the same answer.
inline constexpr uint32_t kProbesPerWord = 7;
inline uint64_t CacheLineBloomWord(uint64_t seed, uint32_t group) {
  return Remix(seed + (group + 1) * 0x9e3779b97f4a7c15);
}

// Memory for lines, each on a cache line of its own, zero at first. Thread-compatible.
class LineArray {
 public:
  explicit LineArray(uint64_t lines);
  uint64_t* line(uint64_t index) { return words_.get() + index * (kLineBytes / 8); }
  const uint64_t* line(uint64_t index) const { return words_.get() + index * (kLineBytes / 8); }

 private:
  struct Free {
    void operator()(uint64_t* words) const {
      ::operator delete (static_cast<void*>(words), std::align_val_t{kLineBytes});
    }
  };
  std::unique_ptr<uint64_t[], Free> words_;
};

// Thread-compatible. Memory: 8 bytes a key until Finish, and twice the filter in Finish.
class CacheLineBloomBuilder final : public FilterBuilder {
 public:
  // REQUIRES: 0 < fp_chance <= 1.
  CacheLineBloomBuilder(double fp_chance, uint64_t salt) : fp_chance_(fp_chance), salt_(salt) {}

  void Add(uint64_t hash) override { hashes_.push_back(hash); }
  std::string Finish() override;

 private:
  const double fp_chance_;
  const uint64_t salt_;
  std::vector<uint64_t> hashes_;
};

// Immutable and thread-safe. Copies the lines of the block to aligned memory and lets the block go.
class CacheLineBloomReader final : public FilterReader {
 public:
  // REQUIRES: `header` is what ParseFilterBlock said of `block`, and the kind is kBloom.
  CacheLineBloomReader(const FilterBlockHeader& header, std::string_view block);

  bool MayContain(uint64_t hash) const override;
  void MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const override;
  void Prefetch(uint64_t hash) const override;
  std::string_view kind_name() const override { return "bloom"; }
  uint64_t key_count() const override { return header_.key_count; }
  double configured_fp_chance() const override { return header_.configured_fp_chance; }
  // The mean over the lines of (set bits / 512)^k: a key's line is as likely to be any.
  double predicted_fp_rate() const override { return predicted_fp_rate_; }
  size_t memory_bytes() const override { return sizeof(*this) + header_.size * kLineBytes; }

  // The block that it was opened on, made again.
  std::string MakeBlock() const;

 private:
  const FilterBlockHeader header_;
  LineArray lines_;
  double predicted_fp_rate_;
};

}  // namespace siltstone
