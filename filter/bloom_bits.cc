#include "filter/bloom_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "filter/bloom_math.h"
#include "filter/standard_bloom.h"

namespace siltstone {

absl::StatusOr<BloomBits> BloomBits::Allocate(uint64_t bits, int probes, uint64_t salt) {
  SILTSTONE_CHECK(bits > 0 && probes >= 1 && probes <= kMaxProbes);
  absl::StatusOr<ZeroedWords> words = ZeroedWords::Allocate(PayloadBytes(bits) / 8);
  if (!words.ok()) return words.status();
  return BloomBits(bits, probes, salt, *std::move(words));
}

absl::StatusOr<BloomBits> BloomBits::Copy(uint64_t bits, int probes, uint64_t salt,
                                          std::string_view payload) {
  if (bits == 0 || payload.size() != PayloadBytes(bits)) {
    return absl::DataLossError(absl::StrCat("number of bits: observed ", bits, ", expected what ",
                                            payload.size(), " bytes hold"));
  }
  absl::StatusOr<BloomBits> copy = Allocate(bits, probes, salt);
  if (!copy.ok()) return copy;
  std::memcpy(copy->words_.data(), payload.data(), payload.size());
  const uint64_t last = copy->words_[copy->words_.count() - 1];
  if (bits % 64 != 0 && last >> bits % 64 != 0) {
    return absl::DataLossError(absl::StrCat("bits behind the last: observed 0x",
                                            absl::Hex(last >> bits % 64), ", expected 0"));
  }
  copy->set_bits_ = copy->CountSetBits();
  return copy;
}

bool BloomBits::Add(uint64_t hash) {
  const uint64_t seed = StandardBloomSeed(hash, salt_);
  const uint64_t before = set_bits_;
  for (uint32_t probe = 0; probe < static_cast<uint32_t>(probes_); ++probe) {
    const uint64_t position = StandardBloomPosition(seed, probe, bits_);
    uint64_t& word = words_[position / 64];
    set_bits_ += (word >> position % 64 & 1) ^ 1;
    word |= uint64_t{1} << position % 64;
  }
  return set_bits_ != before;
}

bool BloomBits::MayContain(uint64_t hash) const {
  const uint64_t seed = StandardBloomSeed(hash, salt_);
  for (uint32_t probe = 0; probe < static_cast<uint32_t>(probes_); ++probe) {
    const uint64_t position = StandardBloomPosition(seed, probe, bits_);
    if ((words_[position / 64] >> position % 64 & 1) == 0) return false;
  }
  return true;
}

void BloomBits::Or(std::string_view other_bytes) {
  SILTSTONE_CHECK(other_bytes.size() == words_.size_bytes());
  for (uint64_t i = 0; i < words_.count(); ++i) {
    words_[i] |= LoadFixed64(other_bytes.data() + i * 8);
  }
  set_bits_ = CountSetBits();
}

double BloomBits::FalsePositiveRate() const { return std::pow(fill_ratio(), probes_); }

uint64_t BloomBits::EstimateKeys() const {
  if (set_bits_ == 0) return 0;
  // All bits set: as many keys as leave half a bit clear on average.
  const double m = static_cast<double>(bits_);
  const double set = std::min(static_cast<double>(set_bits_), m - 0.5);
  const double keys = std::round(-m / probes_ * std::log1p(-set / m));
  return std::max<uint64_t>(1, static_cast<uint64_t>(keys));
}

uint64_t BloomBits::CountSetBits() const {
  uint64_t count = 0;
  for (uint64_t i = 0; i < words_.count(); ++i) {
    count += static_cast<uint64_t>(std::popcount(words_[i]));
  }
  return count;
}

}  // namespace siltstone
