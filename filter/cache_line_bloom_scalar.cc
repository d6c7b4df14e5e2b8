#include <array>
#include <utility>

#include "filter/cache_line_bloom.h"

// The cache-line Bloom in plain C++, for machines without AVX2.

namespace siltstone {

namespace {

// The bits of probes I... of a word, one at the lowest place of the result. Unrolled, so that the loads overlap.
template <uint32_t... I>
uint64_t TakeBits(const uint64_t* line, uint64_t word, std::integer_sequence<uint32_t, I...>) {
  return ((line[CacheLineBloomPosition(word, I) / 64] >> CacheLineBloomPosition(word, I) % 64) &
          ...);
}
template <uint32_t kCount>
uint64_t TakeBits(const uint64_t* line, uint64_t word) {
  return TakeBits(line, word, std::make_integer_sequence<uint32_t, kCount>());
}

uint64_t TakeLastBits(const uint64_t* line, uint64_t word, uint32_t count) {
  switch (count) {
    case 1:
      return TakeBits<1>(line, word);
    case 2:
      return TakeBits<2>(line, word);
    case 3:
      return TakeBits<3>(line, word);
    case 4:
      return TakeBits<4>(line, word);
    case 5:
      return TakeBits<5>(line, word);
    case 6:
      return TakeBits<6>(line, word);
    case 7:
      return TakeBits<7>(line, word);
    default:
      return TakeBits<8>(line, word);
  }
}

class ScalarReader final : public CacheLineBloomReader {
 public:
  ScalarReader(const FilterBlockHeader& header, std::string_view block)
      : CacheLineBloomReader(header, block),
        full_words_(full_words()),
        last_probes_(last_probes()) {}

  using CacheLineBloomReader::MayContain;
  bool MayContain(uint64_t hash) const override { return Holds(Find(hash)); }

  void TestPlaces(std::span<const Place> places, bool* answers) const override {
    for (size_t i = 0; i < places.size(); ++i) answers[i] = Holds(places[i]);
  }

 private:
  // Takes all bits together before it looks at any: which way it goes depends on k alone, never on the key.
  bool Holds(Place place) const {
    uint64_t all = 1;
    for (uint32_t left = full_words_; left > 0; --left) {
      all &= TakeBits<kProbesPerWord>(place.line, place.word);
      place.word = NextCacheLineBloomWord(place.word);
    }
    return (all & TakeLastBits(place.line, place.word, last_probes_)) != 0;
  }

  const uint32_t full_words_, last_probes_;
};

}  // namespace

std::unique_ptr<FilterReader> OpenCacheLineBloomScalar(const FilterBlockHeader& header,
                                                       std::string_view block) {
  return std::make_unique<ScalarReader>(header, block);
}

}  // namespace siltstone
