#include "filter/standard_bloom.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "filter/bloom_math.h"

namespace siltstone {

namespace {

void SetBit(std::string* bits, uint64_t position) {
  char& byte = (*bits)[position / 8];
  byte = static_cast<char>(byte | 1 << position % 8);
}

uint64_t CountSetBits(std::string_view words) {
  uint64_t count = 0;
  for (size_t i = 0; i < words.size(); i += 8) {
    count += static_cast<uint64_t>(std::popcount(LoadFixed64(words.data() + i)));
  }
  return count;
}

}  // namespace

std::string StandardBloomBuilder::Finish() {
  const uint64_t bits = StandardBloomBits(hashes_.size(), std::max(fp_chance_, kSmallestChance));
  const FilterBlockHeader header{
      .kind = FilterKind::kStandardBloom,
      .salt = salt_,
      .key_count = hashes_.size(),
      .configured_fp_chance = fp_chance_,
      .size = bits,
      .probes = static_cast<uint32_t>(StandardBloomProbes(bits, hashes_.size()))};
  std::string payload(FilterPayloadBytes(header), '\0');
  // The bits of a key are loaded while those of the keys before it are set.
  constexpr size_t kAhead = 8;
  std::array<std::array<uint64_t, kMaxProbes>, kAhead> positions;
  for (size_t i = 0; i < hashes_.size() + kAhead; ++i) {
    uint64_t* key_positions = positions[i % kAhead].data();
    if (i >= kAhead) {
      for (uint32_t probe = 0; probe < header.probes; ++probe) {
        SetBit(&payload, key_positions[probe]);
      }
    }
    if (i >= hashes_.size()) continue;
    const uint64_t seed = StandardBloomSeed(hashes_[i], salt_);
    for (uint32_t probe = 0; probe < header.probes; ++probe) {
      key_positions[probe] = StandardBloomPosition(seed, probe, bits);
      __builtin_prefetch(&payload[key_positions[probe] / 8], 1);
    }
  }
  hashes_ = {};
  return MakeFilterBlock(header, payload);
}

StandardBloomReader::StandardBloomReader(const FilterBlockHeader& header, std::string block)
    : header_(header), block_(std::move(block)) {
  // It stays for the life of a table: room to spare is not worth its memory.
  if (block_.capacity() - block_.size() > block_.size() / 16) block_.shrink_to_fit();
  const double set = static_cast<double>(CountSetBits(FilterPayload(block_)));
  predicted_fp_rate_ =
      std::pow(set / static_cast<double>(header_.size), static_cast<double>(header_.probes));
}

bool StandardBloomReader::MayContain(uint64_t hash) const {
  const uint64_t seed = StandardBloomSeed(hash, header_.salt);
  for (uint32_t probe = 0; probe < header_.probes; ++probe) {
    const uint64_t position = StandardBloomPosition(seed, probe, header_.size);
    if ((bits()[position / 8] >> position % 8 & 1) == 0) return false;
  }
  return true;
}

void StandardBloomReader::MayContain(std::span<const uint64_t> hashes,
                                     std::span<bool> answers) const {
  SILTSTONE_CHECK(hashes.size() == answers.size());
  constexpr size_t kAhead = 16;
  const size_t first = std::min(kAhead, hashes.size());
  for (size_t i = 0; i < first; ++i) Prefetch(hashes[i]);
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) Prefetch(hashes[i + kAhead]);
    answers[i] = MayContain(hashes[i]);
  }
}

void StandardBloomReader::Prefetch(uint64_t hash) const {
  const uint64_t seed = StandardBloomSeed(hash, header_.salt);
  __builtin_prefetch(bits() + StandardBloomPosition(seed, 0, header_.size) / 8);
  if (header_.probes > 1) {
    __builtin_prefetch(bits() + StandardBloomPosition(seed, 1, header_.size) / 8);
  }
}

}  // namespace siltstone
