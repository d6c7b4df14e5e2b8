#include "filter/ribbon_probe.h"

#include <array>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace siltstone {

namespace {

// Whether the sums, bit i of column i, are the fingerprint in the columns that count.
SILTSTONE_INLINE bool IsFingerprint(uint64_t sums, const RibbonPlace& place) {
  return ((sums ^ place.fingerprint) & place.mask) == 0;
}

// --- plain C++ ---

SILTSTONE_INLINE bool HoldsScalar(const RibbonPlace& place, uint64_t most_columns) {
  uint64_t sums = 0;
  for (uint64_t i = 0; i < most_columns; ++i) {
    const uint64_t bits = (place.rows[i] & place.low) ^ (place.next[i] & place.high);
    sums |= static_cast<uint64_t>(__builtin_parityll(bits)) << i;
  }
  return IsFingerprint(sums, place);
}

bool TestScalar(const RibbonTable& table, uint64_t hash) {
  return HoldsScalar(PlaceOf(table, hash), table.most_columns);
}

void TestPlacesScalar(const RibbonTable& table, const RibbonPlace* places, size_t count,
                      bool* answers) {
  for (size_t i = 0; i < count; ++i) answers[i] = HoldsScalar(places[i], table.most_columns);
}

#if defined(__x86_64__)

// --- AVX2: vectors of four columns, folded in pairs ---

#define SILTSTONE_AVX2 __attribute__((target("avx2,bmi2")))

// The bits of columns 4 quad to 4 quad + 3 that are summed.
SILTSTONE_AVX2 SILTSTONE_INLINE __m256i FourColumns(const RibbonPlace& place, size_t quad) {
  const auto* rows = reinterpret_cast<const __m256i*>(place.rows) + quad;
  const auto* next = reinterpret_cast<const __m256i*>(place.next) + quad;
  const __m256i low = _mm256_set1_epi64x(static_cast<long long>(place.low));
  const __m256i high = _mm256_set1_epi64x(static_cast<long long>(place.high));
  return _mm256_xor_si256(_mm256_and_si256(_mm256_loadu_si256(rows), low),
                          _mm256_and_si256(_mm256_loadu_si256(next), high));
}

// The parities of the eight words of a and b, the first lowest.
SILTSTONE_AVX2 SILTSTONE_INLINE uint64_t EightParities(__m256i a, __m256i b) {
  // Low and high halves of all words, in the order 0 1 4 5 2 3 6 7; then in theirs.
  const __m256 halves_a = _mm256_castsi256_ps(a), halves_b = _mm256_castsi256_ps(b);
  __m256i fold = _mm256_xor_si256(
      _mm256_castps_si256(_mm256_shuffle_ps(halves_a, halves_b, _MM_SHUFFLE(2, 0, 2, 0))),
      _mm256_castps_si256(_mm256_shuffle_ps(halves_a, halves_b, _MM_SHUFFLE(3, 1, 3, 1))));
  fold = _mm256_permute4x64_epi64(fold, _MM_SHUFFLE(3, 1, 2, 0));
  fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 16));
  fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 8));
  fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 4));
  fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 2));
  fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 1));
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(fold)));
}

template <size_t kQuads>
SILTSTONE_AVX2 SILTSTONE_INLINE bool HoldsAvx2(const RibbonPlace& place) {
  uint64_t sums = 0;
  for (size_t quad = 0; quad < kQuads; quad += 2) {
    const __m256i upper = quad + 1 < kQuads ? FourColumns(place, quad + 1) : _mm256_setzero_si256();
    sums |= EightParities(FourColumns(place, quad), upper) << quad * 4;
  }
  return IsFingerprint(sums, place);
}

template <size_t kQuads>
SILTSTONE_AVX2 bool TestAvx2(const RibbonTable& table, uint64_t hash) {
  return HoldsAvx2<kQuads>(PlaceOf(table, hash));
}

template <size_t kQuads>
SILTSTONE_AVX2 void TestPlacesAvx2(const RibbonTable&, const RibbonPlace* places, size_t count,
                                   bool* answers) {
  for (size_t i = 0; i < count; ++i) answers[i] = HoldsAvx2<kQuads>(places[i]);
}

// --- AVX-512 with VPOPCNTDQ: vectors of eight columns, whose bits are counted ---

#define SILTSTONE_AVX512 \
  __attribute__((target("avx2,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")))

template <size_t kOctets>
SILTSTONE_AVX512 SILTSTONE_INLINE bool HoldsAvx512(const RibbonPlace& place) {
  const __m512i low = _mm512_set1_epi64(static_cast<long long>(place.low));
  const __m512i high = _mm512_set1_epi64(static_cast<long long>(place.high));
  const __m512i one = _mm512_set1_epi64(1);
  uint64_t sums = 0;
  for (size_t octet = 0; octet < kOctets; ++octet) {
    const __m512i rows = _mm512_loadu_si512(place.rows + octet * 8);
    const __m512i next = _mm512_loadu_si512(place.next + octet * 8);
    constexpr int kFirstXorBoth = 0x78;  // a ^ (b & c)
    const __m512i bits =
        _mm512_ternarylogic_epi64(_mm512_and_si512(rows, low), next, high, kFirstXorBoth);
    sums |= uint64_t{_mm512_test_epi64_mask(_mm512_popcnt_epi64(bits), one)} << octet * 8;
  }
  return IsFingerprint(sums, place);
}

template <size_t kOctets>
SILTSTONE_AVX512 bool TestAvx512(const RibbonTable& table, uint64_t hash) {
  return HoldsAvx512<kOctets>(PlaceOf(table, hash));
}

template <size_t kOctets>
SILTSTONE_AVX512 void TestPlacesAvx512(const RibbonTable&, const RibbonPlace* places, size_t count,
                                       bool* answers) {
  for (size_t i = 0; i < count; ++i) answers[i] = HoldsAvx512<kOctets>(places[i]);
}

// --- the choice: a function for each number of vectors ---

template <size_t... kLess>
void ChooseAvx2(std::index_sequence<kLess...>, RibbonTable* table) {
  static constexpr std::array<RibbonTest, sizeof...(kLess)> kTests = {TestAvx2<kLess + 1>...};
  static constexpr std::array<RibbonTestPlaces, sizeof...(kLess)> kPlaces = {
      TestPlacesAvx2<kLess + 1>...};
  table->test = kTests[(table->most_columns - 1) / 4];
  table->test_places = kPlaces[(table->most_columns - 1) / 4];
}

template <size_t... kLess>
void ChooseAvx512(std::index_sequence<kLess...>, RibbonTable* table) {
  static constexpr std::array<RibbonTest, sizeof...(kLess)> kTests = {TestAvx512<kLess + 1>...};
  static constexpr std::array<RibbonTestPlaces, sizeof...(kLess)> kPlaces = {
      TestPlacesAvx512<kLess + 1>...};
  table->test = kTests[(table->most_columns - 1) / 8];
  table->test_places = kPlaces[(table->most_columns - 1) / 8];
}

#endif

}  // namespace

void ChooseRibbonTest(const CpuFeatures& cpu, RibbonTable* table) {
  table->test = TestScalar;
  table->test_places = TestPlacesScalar;
#if defined(__x86_64__)
  if (cpu.avx512_popcnt) {
    ChooseAvx512(std::make_index_sequence<(kMaxRibbonColumns + 7) / 8>(), table);
  } else if (cpu.avx2) {
    ChooseAvx2(std::make_index_sequence<(kMaxRibbonColumns + 3) / 4>(), table);
  }
#else
  static_cast<void>(cpu);
#endif
}

}  // namespace siltstone
