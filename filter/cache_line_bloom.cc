#include "filter/cache_line_bloom.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "filter/bloom_math.h"

namespace siltstone {

namespace {

constexpr uint64_t kWordsPerLine = kLineBytes / 8;

void AddToLine(uint64_t seed, uint32_t probes, uint64_t* line) {
  for (uint32_t group = 0, left = probes; left > 0; ++group) {
    uint64_t word = CacheLineBloomWord(seed, group);
    const uint32_t count = std::min(left, kProbesPerWord);
    for (uint32_t i = 0; i < count; ++i, word >>= 9) {
      line[word >> 6 & 7] |= uint64_t{1} << (word & 63);
    }
    left -= count;
  }
}

// The bits of probes I... of a group, one at the lowest place of the result. Unrolled, so that the loads overlap.
template <uint32_t... I>
uint64_t TakeBits(uint64_t word, const uint64_t* line, std::integer_sequence<uint32_t, I...>) {
  return ((line[word >> (9 * I + 6) & 7] >> (word >> 9 * I & 63)) & ...);
}
template <uint32_t kCount>
uint64_t TakeBits(uint64_t word, const uint64_t* line) {
  return TakeBits(word, line, std::make_integer_sequence<uint32_t, kCount>());
}

uint64_t TakeLastBits(uint64_t word, uint32_t count, const uint64_t* line) {
  switch (count) {
    case 1:
      return TakeBits<1>(word, line);
    case 2:
      return TakeBits<2>(word, line);
    case 3:
      return TakeBits<3>(word, line);
    case 4:
      return TakeBits<4>(word, line);
    case 5:
      return TakeBits<5>(word, line);
    case 6:
      return TakeBits<6>(word, line);
    default:
      return TakeBits<7>(word, line);
  }
}

// Takes all bits together before it looks at any: which way it goes depends on `probes` alone, never on the key.
bool LineHolds(uint64_t seed, uint32_t probes, const uint64_t* line) {
  uint64_t all = 1;
  uint32_t group = 0;
  for (; probes > kProbesPerWord; probes -= kProbesPerWord, ++group) {
    all &= TakeBits<kProbesPerWord>(CacheLineBloomWord(seed, group), line);
  }
  return (all & TakeLastBits(CacheLineBloomWord(seed, group), probes, line)) != 0;
}

int CountSetBits(const uint64_t* line) {
  int count = 0;
  for (uint64_t i = 0; i < kWordsPerLine; ++i) count += std::popcount(line[i]);
  return count;
}

double MeanRateOfLines(const LineArray& lines, const FilterBlockHeader& header) {
  std::array<uint64_t, kLineBits + 1> lines_by_fill{};
  for (uint64_t i = 0; i < header.size; ++i) {
    ++lines_by_fill[static_cast<size_t>(CountSetBits(lines.line(i)))];
  }
  double sum = 0;
  for (size_t fill = 0; fill <= kLineBits; ++fill) {
    if (lines_by_fill[fill] == 0) continue;
    sum += static_cast<double>(lines_by_fill[fill]) *
           std::pow(static_cast<double>(fill) / kLineBits, static_cast<double>(header.probes));
  }
  return sum / static_cast<double>(header.size);
}

}  // namespace

LineArray::LineArray(uint64_t lines)
    : words_(static_cast<uint64_t*>(
          ::operator new (lines* kLineBytes, std::align_val_t{kLineBytes}))) {
  std::memset(words_.get(), 0, lines * kLineBytes);
}

std::string CacheLineBloomBuilder::Finish() {
  const CacheLineBloomSize size = SizeCacheLineBloom(hashes_.size(), fp_chance_);
  const FilterBlockHeader header{.kind = FilterKind::kBloom,
                                 .salt = salt_,
                                 .key_count = hashes_.size(),
                                 .configured_fp_chance = fp_chance_,
                                 .size = size.lines,
                                 .probes = static_cast<uint32_t>(size.probes)};
  LineArray lines(size.lines);
  // A key's line is loaded while the bits of the keys before it are set.
  constexpr size_t kAhead = 16;
  std::array<uint64_t, kAhead> seeds;
  for (size_t i = 0; i < hashes_.size() + kAhead; ++i) {
    uint64_t& seed = seeds[i % kAhead];
    if (i >= kAhead) {
      AddToLine(seed, header.probes, lines.line(CacheLineBloomLine(seed, size.lines)));
    }
    if (i >= hashes_.size()) continue;
    seed = CacheLineBloomSeed(hashes_[i], salt_);
    __builtin_prefetch(lines.line(CacheLineBloomLine(seed, size.lines)), 1);
  }
  hashes_ = {};
  return MakeFilterBlock(header, {reinterpret_cast<const char*>(lines.line(0)),
                                  static_cast<size_t>(size.lines * kLineBytes)});
}

CacheLineBloomReader::CacheLineBloomReader(const FilterBlockHeader& header, std::string_view block)
    : header_(header), lines_(header.size) {
  const std::string_view payload = FilterPayload(block);
  std::memcpy(lines_.line(0), payload.data(), payload.size());
  predicted_fp_rate_ = MeanRateOfLines(lines_, header_);
}

std::string CacheLineBloomReader::MakeBlock() const {
  return MakeFilterBlock(header_, {reinterpret_cast<const char*>(lines_.line(0)),
                                   static_cast<size_t>(header_.size * kLineBytes)});
}

bool CacheLineBloomReader::MayContain(uint64_t hash) const {
  const uint64_t seed = CacheLineBloomSeed(hash, header_.salt);
  return LineHolds(seed, header_.probes, lines_.line(CacheLineBloomLine(seed, header_.size)));
}

void CacheLineBloomReader::MayContain(std::span<const uint64_t> hashes,
                                      std::span<bool> answers) const {
  SILTSTONE_CHECK(hashes.size() == answers.size());
  constexpr size_t kAhead = 16;
  std::array<uint64_t, kAhead> seeds;
  for (size_t i = 0; i < hashes.size() + kAhead; ++i) {
    uint64_t& seed = seeds[i % kAhead];
    if (i >= kAhead) {
      const uint64_t* line = lines_.line(CacheLineBloomLine(seed, header_.size));
      answers[i - kAhead] = LineHolds(seed, header_.probes, line);
    }
    if (i >= hashes.size()) continue;
    seed = CacheLineBloomSeed(hashes[i], header_.salt);
    __builtin_prefetch(lines_.line(CacheLineBloomLine(seed, header_.size)));
  }
}

void CacheLineBloomReader::Prefetch(uint64_t hash) const {
  const uint64_t seed = CacheLineBloomSeed(hash, header_.salt);
  __builtin_prefetch(lines_.line(CacheLineBloomLine(seed, header_.size)));
}

}  // namespace siltstone
