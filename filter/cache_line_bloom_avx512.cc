#include "filter/cache_line_bloom.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>

// The cache-line Bloom with AVX-512: the line is one register, and eight probes are its eight lanes of 64 bits.

#define SILTSTONE_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi2")))
#define SILTSTONE_AVX512_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi2"), always_inline)) inline

namespace siltstone {

namespace {

constexpr __mmask8 kAll = 0xff;

constexpr std::array<uint64_t, kProbesPerWord> WidenFactors() {
  std::array<uint64_t, kProbesPerWord> wide{};
  for (uint32_t i = 0; i < kProbesPerWord; ++i) wide[i] = kCacheLineBloomFactors[i];
  return wide;
}
alignas(64) constexpr std::array<uint64_t, kProbesPerWord> kFactors = WidenFactors();

// Which of the probes `wanted` meet a clear bit.
SILTSTONE_AVX512_INLINE __mmask8 FindClearBits(const uint64_t* line, uint64_t word,
                                               __mmask8 wanted) {
  // The masked forms, since the others begin with an undefined register, which g++ warns of.
  const __m512i factors = _mm512_load_si512(kFactors.data());
  const __m512i words = _mm512_maskz_set1_epi64(kAll, static_cast<long long>(word));
  const __m512i products = _mm512_maskz_mul_epu32(kAll, words, factors);
  // A permute looks at the low three bits of a lane only, a rotation at the low six.
  const __m512i lanes = _mm512_maskz_srli_epi64(kAll, products, 29);
  const __m512i bits = _mm512_maskz_srli_epi64(kAll, products, 23);
  const __m512i found = _mm512_maskz_permutexvar_epi64(kAll, lanes, _mm512_load_si512(line));
  const __m512i ones = _mm512_maskz_set1_epi64(kAll, 1);
  return _mm512_mask_testn_epi64_mask(wanted, _mm512_maskz_rorv_epi64(kAll, found, bits), ones);
}

// kOneWord: k <= 8, which is every chance of 0.3 % and above.
template <bool kOneWord>
class Avx512Reader final : public CacheLineBloomReader {
 public:
  Avx512Reader(const FilterBlockHeader& header, std::string_view block)
      : CacheLineBloomReader(header, block),
        full_words_(full_words()),
        last_word_(static_cast<__mmask8>((1u << last_probes()) - 1)) {}

  using CacheLineBloomReader::MayContain;
  SILTSTONE_AVX512 bool MayContain(uint64_t hash) const override { return Holds(Find(hash)); }

  SILTSTONE_AVX512 void TestPlaces(std::span<const Place> places, bool* answers) const override {
    for (size_t i = 0; i < places.size(); ++i) answers[i] = Holds(places[i]);
  }

 private:
  // Which way it goes depends on k alone, never on the key.
  SILTSTONE_AVX512_INLINE bool Holds(Place place) const {
    unsigned clear = 0;
    if constexpr (!kOneWord) {
      for (uint32_t left = full_words_; left > 0; --left) {
        clear |= FindClearBits(place.line, place.word, kAll);
        place.word = NextCacheLineBloomWord(place.word);
      }
    }
    return (clear | FindClearBits(place.line, place.word, last_word_)) == 0;
  }

  const uint32_t full_words_;
  const __mmask8 last_word_;  // a bit for each of its probes
};

}  // namespace

std::unique_ptr<FilterReader> OpenCacheLineBloomAvx512(const FilterBlockHeader& header,
                                                       std::string_view block) {
  if (header.probes <= kProbesPerWord) return std::make_unique<Avx512Reader<true>>(header, block);
  return std::make_unique<Avx512Reader<false>>(header, block);
}

}  // namespace siltstone

#else

namespace siltstone {

std::unique_ptr<FilterReader> OpenCacheLineBloomAvx512(const FilterBlockHeader&, std::string_view) {
  return nullptr;
}

}  // namespace siltstone

#endif
