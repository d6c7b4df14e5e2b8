#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_features.h"
#include "base/filter_policy.h"
#include "base/hash.h"
#include "filter/filter_block.h"

// The cache-line Bloom filter: a key has one line of 512 bits, and k bits in it.
//
//   std::unique_ptr<FilterReader> reader = OpenCacheLineBloom(header, block);
//   reader->MayContain(hash);
//
// A probe is one cache miss and has no branch that depends on the key. The price is about 0.33 bits a key at 1 % and
// 2.8 at 0.01 %, because keys fall unevenly on the lines; the exact model of bloom_math.h sizes for that.
//
// Where a key's bits are is made for vector units: one multiplication of 32-bit lanes gives eight positions, a permute
// fetches their eight words, a shift brings the bits to the front, a test joins them. Which key is asked changes the
// operands of these steps and never the steps. There are three readers of the same bytes with the same answers: plain
// C++, AVX2 and AVX-512; each is a class of its own, so that a probe is one virtual call and no more.

namespace siltstone {

// Where a key's line is, and the word that the places of its first eight bits come from. The two halves of one
// product: the line from the high bits of the lower half, the word from the lower bits of the upper half, so that
// they overlap in no bit. It takes the hash for uniform, as that of HashKey is. On disk, like all of this: never
// change.
struct CacheLineBloomPlace {
  uint64_t line;
  uint64_t word;
};
inline uint64_t CacheLineBloomMultiplier(uint64_t salt) { return Remix(salt) | 1; }
inline CacheLineBloomPlace FindCacheLineBloomPlace(uint64_t hash, uint64_t multiplier,
                                                   uint64_t lines) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash) * multiplier;
  return {FastRange64(static_cast<uint64_t>(product), lines), static_cast<uint64_t>(product >> 64)};
}

// Bits of a line come in groups of eight from the lower half of a word: bit i is in the high nine bits of its product
// with factor i mod 2^32. Of these the high three are the 64-bit word of the line and the low six the bit in it.
inline constexpr uint32_t kProbesPerWord = 8;
// The first 32 fraction bits of the square roots of the first eight primes, made odd.
inline constexpr std::array<uint32_t, kProbesPerWord> kCacheLineBloomFactors = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef373, 0xa54ff53b, 0x510e527f, 0x9b05688d, 0x1f83d9ab, 0x5be0cd19};
inline uint32_t CacheLineBloomPosition(uint64_t word, uint32_t probe_of_word) {
  return static_cast<uint32_t>(word) * kCacheLineBloomFactors[probe_of_word] >> 23;
}
// The word of the next eight bits.
inline uint64_t NextCacheLineBloomWord(uint64_t word) {
  return std::rotr(word * 0x9e3779b97f4a7c15, 32);
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

// What all readers share. Immutable and thread-safe. Copies the lines of the block to aligned memory and lets the
// block go. The probes are in cache_line_bloom_scalar.cc, _avx2.cc and _avx512.cc.
class CacheLineBloomReader : public FilterReader {
 public:
  using FilterReader::MayContain;
  void MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const final;
  void Prefetch(uint64_t hash) const override { __builtin_prefetch(Find(hash).line); }
  std::string_view kind_name() const override { return FilterKindName(FilterKind::kBloom); }
  uint64_t key_count() const override { return header_.key_count; }
  double configured_fp_chance() const override { return header_.configured_fp_chance; }
  // The mean over the lines of (set bits / 512)^k: a key's line is as likely to be any.
  double predicted_fp_rate() const override { return predicted_fp_rate_; }
  size_t memory_bytes() const override { return kReaderBytes + header_.size * kLineBytes; }

  // The block that it was opened on, made again.
  std::string MakeBlock() const;

 protected:
  struct Place {
    const uint64_t* line;
    uint64_t word;
  };
  // The largest object of the three, so that the memory does not depend on the machine.
  static constexpr size_t kReaderBytes = 192;
  CacheLineBloomReader(const FilterBlockHeader& header, std::string_view block);
  Place Find(uint64_t hash) const {
    const CacheLineBloomPlace place = FindCacheLineBloomPlace(hash, multiplier_, line_count_);
    return {first_line_ + place.line * (kLineBytes / 8), place.word};
  }
  // answers[i]: whether all bits of places[i] are set.
  virtual void TestPlaces(std::span<const Place> places, bool* answers) const = 0;
  // Words of eight probes before the last word, and the probes of that one, 1 to 8.
  uint32_t full_words() const { return (header_.probes - 1) / kProbesPerWord; }
  uint32_t last_probes() const { return (header_.probes - 1) % kProbesPerWord + 1; }

 private:
  const uint64_t multiplier_, line_count_;
  LineArray lines_;
  const uint64_t* const first_line_;
  double predicted_fp_rate_;
  const FilterBlockHeader header_;
};

// A reader that uses what `cpu` has. REQUIRES: `header` is what ParseFilterBlock said of `block`, its kind is kBloom,
// and the machine has what `cpu` says.
std::unique_ptr<FilterReader> OpenCacheLineBloom(const FilterBlockHeader& header,
                                                 std::string_view block,
                                                 const CpuFeatures& cpu = MachineCpu());

// The three, for OpenCacheLineBloom. Null where the program was not built for x86-64.
std::unique_ptr<FilterReader> OpenCacheLineBloomScalar(const FilterBlockHeader& header,
                                                       std::string_view block);
std::unique_ptr<FilterReader> OpenCacheLineBloomAvx2(const FilterBlockHeader& header,
                                                     std::string_view block);
std::unique_ptr<FilterReader> OpenCacheLineBloomAvx512(const FilterBlockHeader& header,
                                                       std::string_view block);

}  // namespace siltstone
