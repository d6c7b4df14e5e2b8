#include "filter/cache_line_bloom.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "filter/bloom_math.h"

namespace siltstone {

namespace {

constexpr uint64_t kWordsPerLine = kLineBytes / 8;

void AddToLine(uint64_t word, uint32_t probes, uint64_t* line) {
  for (uint32_t left = probes;;) {
    const uint32_t count = std::min(left, kProbesPerWord);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t position = CacheLineBloomPosition(word, i);
      line[position / 64] |= uint64_t{1} << position % 64;
    }
    left -= count;
    if (left == 0) return;
    word = NextCacheLineBloomWord(word);
  }
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
  const uint64_t multiplier = CacheLineBloomMultiplier(salt_);
  // A key's line is loaded while the bits of the keys before it are set.
  constexpr size_t kAhead = 16;
  std::array<CacheLineBloomPlace, kAhead> places;
  for (size_t i = 0; i < hashes_.size() + kAhead; ++i) {
    CacheLineBloomPlace& place = places[i % kAhead];
    if (i >= kAhead) AddToLine(place.word, header.probes, lines.line(place.line));
    if (i >= hashes_.size()) continue;
    place = FindCacheLineBloomPlace(hashes_[i], multiplier, size.lines);
    __builtin_prefetch(lines.line(place.line), 1);
  }
  hashes_ = {};
  return MakeFilterBlock(header, {reinterpret_cast<const char*>(lines.line(0)),
                                  static_cast<size_t>(size.lines * kLineBytes)});
}

CacheLineBloomReader::CacheLineBloomReader(const FilterBlockHeader& header, std::string_view block)
    : multiplier_(CacheLineBloomMultiplier(header.salt)),
      line_count_(header.size),
      lines_(header.size),
      first_line_(lines_.line(0)),
      header_(header) {
  const std::string_view payload = FilterPayload(block);
  std::memcpy(lines_.line(0), payload.data(), payload.size());
  predicted_fp_rate_ = MeanRateOfLines(lines_, header_);
}

void CacheLineBloomReader::MayContain(std::span<const uint64_t> hashes,
                                      std::span<bool> answers) const {
  SILTSTONE_CHECK(hashes.size() == answers.size());
  // The lines of a group begin to load; then they are tested. About as many as one core can wait for.
  constexpr size_t kGroup = 32;
  std::array<Place, kGroup> places;
  for (size_t begin = 0; begin < hashes.size(); begin += kGroup) {
    const size_t count = std::min(kGroup, hashes.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      places[i] = Find(hashes[begin + i]);
      __builtin_prefetch(places[i].line);
    }
    TestPlaces({places.data(), count}, answers.data() + begin);
  }
}

std::string CacheLineBloomReader::MakeBlock() const {
  return MakeFilterBlock(header_, {reinterpret_cast<const char*>(first_line_),
                                   static_cast<size_t>(header_.size * kLineBytes)});
}

std::unique_ptr<FilterReader> OpenCacheLineBloom(const FilterBlockHeader& header,
                                                 std::string_view block, const CpuFeatures& cpu) {
  if (cpu.avx512) return OpenCacheLineBloomAvx512(header, block);
  if (cpu.avx2) return OpenCacheLineBloomAvx2(header, block);
  return OpenCacheLineBloomScalar(header, block);
}

}  // namespace siltstone
