#include "filter/cache_line_bloom.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>

// The cache-line Bloom with AVX2: eight probes at once, in lanes of 32 bits. A lane's position, at the top of the
// product: one bit for the half of the line, three for the lane of that half, five for the bit.

#define SILTSTONE_AVX2 __attribute__((target("avx2,bmi2")))
#define SILTSTONE_AVX2_INLINE __attribute__((target("avx2,bmi2"), always_inline)) inline

namespace siltstone {

namespace {

alignas(32) constexpr std::array<uint32_t, kProbesPerWord> kFactors = kCacheLineBloomFactors;

// Eight positions of the line, the bit of each at the lowest place of its lane.
SILTSTONE_AVX2_INLINE __m256i TakeBits(const uint64_t* line, uint64_t word) {
  const __m256i* halves = reinterpret_cast<const __m256i*>(line);
  const __m256i factors = _mm256_load_si256(reinterpret_cast<const __m256i*>(kFactors.data()));
  const __m256i products = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(word)), factors);
  // A permute looks at the low three bits of a lane only, a blend at the highest.
  const __m256i lanes = _mm256_srli_epi32(products, 28);
  const __m256i low = _mm256_permutevar8x32_epi32(_mm256_load_si256(halves), lanes);
  const __m256i high = _mm256_permutevar8x32_epi32(_mm256_load_si256(halves + 1), lanes);
  const __m256i words = _mm256_castps_si256(_mm256_blendv_ps(
      _mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _mm256_castsi256_ps(products)));
  const __m256i bits = _mm256_srli_epi32(_mm256_slli_epi32(products, 4), 27);
  return _mm256_srlv_epi32(words, bits);
}

// kOneWord: k <= 8, which is every chance of 0.3 % and above.
template <bool kOneWord>
class Avx2Reader final : public CacheLineBloomReader {
 public:
  Avx2Reader(const FilterBlockHeader& header, std::string_view block)
      : CacheLineBloomReader(header, block), full_words_(full_words()) {
    for (uint32_t i = 0; i < last_probes(); ++i) last_word_[i] = 1;
  }

  using CacheLineBloomReader::MayContain;
  SILTSTONE_AVX2 bool MayContain(uint64_t hash) const override { return Holds(Find(hash)); }

  SILTSTONE_AVX2 void TestPlaces(std::span<const Place> places, bool* answers) const override {
    for (size_t i = 0; i < places.size(); ++i) answers[i] = Holds(places[i]);
  }

 private:
  // Which way it goes depends on k alone, never on the key.
  SILTSTONE_AVX2_INLINE bool Holds(Place place) const {
    int all = 1;
    if constexpr (!kOneWord) {
      for (uint32_t left = full_words_; left > 0; --left) {
        all &= _mm256_testc_si256(TakeBits(place.line, place.word), _mm256_set1_epi32(1));
        place.word = NextCacheLineBloomWord(place.word);
      }
    }
    const __m256i wanted = _mm256_load_si256(reinterpret_cast<const __m256i*>(last_word_.data()));
    return (all & _mm256_testc_si256(TakeBits(place.line, place.word), wanted)) != 0;
  }

  alignas(32) std::array<uint32_t, kProbesPerWord> last_word_{};  // 1 where it has a probe
  const uint32_t full_words_;
};

}  // namespace

std::unique_ptr<FilterReader> OpenCacheLineBloomAvx2(const FilterBlockHeader& header,
                                                     std::string_view block) {
  if (header.probes <= kProbesPerWord) return std::make_unique<Avx2Reader<true>>(header, block);
  return std::make_unique<Avx2Reader<false>>(header, block);
}

}  // namespace siltstone

#else

namespace siltstone {

std::unique_ptr<FilterReader> OpenCacheLineBloomAvx2(const FilterBlockHeader&, std::string_view) {
  return nullptr;
}

}  // namespace siltstone

#endif
