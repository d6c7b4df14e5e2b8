#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "filter/zeroed_words.h"

// The m bits of a textbook Bloom filter that grows key by key: one BloomFilter, or one link of a
// ScalableBloomFilter. Positions are those of the standard filter block (filter/standard_bloom.h).

namespace siltstone {

// Invariants:
//   I1. Bits from m on are zero.
//   I2. set_bits() is the number of bits that are set.
// Thread safety: thread-compatible. Cost: k positions a call at most.
class BloomBits {
 public:
  // `salt` keeps the positions of one filter from those of another over the same hashes.
  // REQUIRES: bits > 0, 1 <= probes <= kMaxProbes.
  static absl::StatusOr<BloomBits> Allocate(uint64_t bits, int probes, uint64_t salt);
  // Of bytes from a file. DataLoss when `payload` is not what so many bits take, or breaks I1;
  // nothing is allocated before that is known. REQUIRES: 1 <= probes <= kMaxProbes.
  static absl::StatusOr<BloomBits> Copy(uint64_t bits, int probes, uint64_t salt,
                                        std::string_view payload);

  // The bytes that so many bits take in a file: whole words. No overflow, whatever `bits` is.
  static uint64_t PayloadBytes(uint64_t bits) { return (bits / 64 + (bits % 64 != 0)) * 8; }

  // Sets the key's bits. True when one of them was clear: the key was certainly new.
  bool Add(uint64_t hash);
  bool MayContain(uint64_t hash) const;
  // Sets all bits that are set in the bytes() of a filter with the same m, k and salt.
  // REQUIRES: as many bytes as here (checked).
  void Or(std::string_view other_bytes);

  uint64_t bits() const { return bits_; }
  int probes() const { return probes_; }
  uint64_t set_bits() const { return set_bits_; }
  double fill_ratio() const { return static_cast<double>(set_bits_) / static_cast<double>(bits_); }
  // The chance that an absent key finds all of its bits set: fill_ratio^k.
  double FalsePositiveRate() const;
  // How many distinct keys would set so many bits: -(m / k) ln(1 - fill_ratio). At least 1 when a
  // bit is set.
  uint64_t EstimateKeys() const;
  std::string_view bytes() const { return words_.bytes(); }

 private:
  BloomBits(uint64_t bits, int probes, uint64_t salt, ZeroedWords words)
      : bits_(bits), probes_(probes), salt_(salt), words_(std::move(words)) {}

  uint64_t CountSetBits() const;

  uint64_t bits_;
  int probes_;
  uint64_t salt_;
  uint64_t set_bits_ = 0;
  ZeroedWords words_;
};

}  // namespace siltstone
