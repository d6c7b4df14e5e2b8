#include "filter/cache_line_bloom.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/random.h"
#include "filter/bloom_math.h"
#include "tests/filter/filter_test_keys.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// The answer as FORMAT.md words it, bit by bit.
bool MayContainByTheFormat(const FilterBlockHeader& header, std::string_view block, uint64_t hash) {
  __extension__ using Wide = unsigned __int128;
  const std::string_view bits = FilterPayload(block);
  const Wide product = static_cast<Wide>(hash) * (Remix(header.salt) | 1);
  const uint64_t line = FastRange64(static_cast<uint64_t>(product), header.size);
  uint64_t word = static_cast<uint64_t>(product >> 64);
  for (uint32_t i = 0; i < header.probes; ++i) {
    if (i > 0 && i % 8 == 0) word = NextCacheLineBloomWord(word);
    const uint32_t product_of_word = static_cast<uint32_t>(word) * kCacheLineBloomFactors[i % 8];
    const uint64_t bit = 512 * line + (product_of_word >> 23);
    if ((static_cast<uint8_t>(bits[bit / 8]) >> bit % 8 & 1) == 0) return false;
  }
  return true;
}

// Lines of random bits, so full that about half of the answers are "maybe".
std::string RandomBlock(Random* random, uint32_t probes) {
  const FilterBlockHeader header{.kind = FilterKind::kBloom,
                                 .salt = random->Next(),
                                 .key_count = random->Next(),
                                 .configured_fp_chance = 0.5,
                                 .size = random->Between(1, 40),
                                 .probes = probes};
  const double share = std::pow(0.5, 1.0 / probes);
  const uint64_t below = static_cast<uint64_t>(share * 65536);
  std::string payload(header.size * kLineBytes, '\0');
  for (size_t bit = 0; bit < payload.size() * 8; ++bit) {
    if (random->Uniform(65536) >= below) continue;
    payload[bit / 8] = static_cast<char>(payload[bit / 8] | 1 << bit % 8);
  }
  return MakeFilterBlock(header, payload);
}

TEST(CacheLineBloomPaths, AgreeWithTheFormatForEveryNumberOfProbes) {
  Random random(TestSeed());
  constexpr size_t kAsked = 400;
  for (uint32_t probes = 1; probes <= static_cast<uint32_t>(kMaxProbes); ++probes) {
    size_t maybe = 0, asked = 0;
    for (int filters = 0; filters < 8; ++filters) {
      const std::string block = RandomBlock(&random, probes);
      const absl::StatusOr<FilterBlockHeader> header = ParseFilterBlock(block);
      ASSERT_TRUE(header.ok()) << header.status();
      std::vector<uint64_t> hashes;
      for (size_t i = 0; i < kAsked; ++i) hashes.push_back(random.Next());
      for (const CpuFeatures& cpu : CpuLevels()) {
        const std::unique_ptr<FilterReader> reader = OpenCacheLineBloom(*header, block, cpu);
        ASSERT_NE(reader, nullptr);
        const auto answers = std::make_unique<bool[]>(kAsked);
        reader->MayContain(hashes, {answers.get(), kAsked});
        for (size_t i = 0; i < kAsked; ++i, ++asked) {
          const bool expected = MayContainByTheFormat(*header, block, hashes[i]);
          ASSERT_EQ(reader->MayContain(hashes[i]), expected) << CpuLevelName(cpu) << " " << probes;
          ASSERT_EQ(answers[i], expected) << CpuLevelName(cpu) << " " << probes;
          maybe += expected;
        }
      }
    }
    EXPECT_GT(maybe, asked / 4) << probes;
    EXPECT_LT(maybe, asked - asked / 4) << probes;
  }
}

TEST(CacheLineBloomPaths, FindEveryKeyThatWasAdded) {
  for (const double chance : {0.5, 0.01, 1e-4, 1e-12}) {
    for (const uint64_t count : {1u, 64u, 10'000u}) {
      const std::string block = BuildBlock({FilterKind::kBloom, chance}, count, count);
      const absl::StatusOr<FilterBlockHeader> header = ParseFilterBlock(block);
      ASSERT_TRUE(header.ok()) << header.status();
      for (const CpuFeatures& cpu : CpuLevels()) {
        const std::unique_ptr<FilterReader> reader = OpenCacheLineBloom(*header, block, cpu);
        for (uint64_t i = 0; i < count; ++i) {
          ASSERT_TRUE(reader->MayContain(UserHashes()[i])) << CpuLevelName(cpu) << " " << chance;
        }
      }
    }
  }
}

TEST(CacheLineBloomPaths, AreTheOneThePolicyIsTold) {
  for (const CpuFeatures& cpu : CpuLevels()) {
    const auto reader = NewTableFilterPolicy({FilterKind::kBloom, 0.01, cpu})
                            ->OpenReader(BuildBlock({FilterKind::kBloom, 0.01}, 1, 100));
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_EQ((*reader)->memory_bytes(), 192 + 64 * SizeCacheLineBloom(100, 0.01).lines);
  }
}

TEST(CacheLineBloomLines, StandOnCacheLines) {
  for (const uint64_t count : {1u, 3u, 1000u}) {
    LineArray lines(count);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(lines.line(0)) % 64, 0u);
    EXPECT_EQ(lines.line(1) - lines.line(0), 8);
  }
}

TEST(CacheLineBloomPositions, FillALineEvenly) {
  // Each of the eight positions of a word by itself, of the first word and of the second.
  constexpr double kKeys = 512 * 400;
  std::vector<std::vector<double>> counts(16, std::vector<double>(512, 0));
  for (size_t key = 0; key < static_cast<size_t>(kKeys); ++key) {
    CacheLineBloomPlace place =
        FindCacheLineBloomPlace(UserHashes()[key], CacheLineBloomMultiplier(1), 1000);
    for (uint32_t i = 0; i < 16; ++i) {
      if (i == 8) place.word = NextCacheLineBloomWord(place.word);
      const uint32_t position = CacheLineBloomPosition(place.word, i % 8);
      ASSERT_LT(position, 512u);
      ++counts[i][position];
    }
  }
  for (const std::vector<double>& count : counts) {
    double chi_square = 0;
    for (const double c : count) chi_square += (c - 400) * (c - 400) / 400;
    EXPECT_LT(chi_square, 511 + 5 * std::sqrt(2 * 511.0));
  }
}

TEST(CacheLineBloomPositions, AreIndependentOfTheLineAndOfOneAnother) {
  // Keys of one line out of a thousand meet in a position, and two positions of a key meet, once in 512.
  std::vector<uint64_t> words;
  double within = 0, keys = 0;
  for (const uint64_t hash : UserHashes()) {
    const CacheLineBloomPlace place =
        FindCacheLineBloomPlace(hash, CacheLineBloomMultiplier(1), 1000);
    if (place.line == 123) words.push_back(place.word);
    if (++keys > 300'000) continue;
    for (uint32_t i = 0; i < 8; ++i) {
      for (uint32_t j = 0; j < i; ++j) {
        within += CacheLineBloomPosition(place.word, i) == CacheLineBloomPosition(place.word, j);
      }
    }
  }
  EXPECT_NEAR(within, 300'000 * 28 / 512.0, 4 * std::sqrt(300'000 * 28 / 512.0));
  const double pairs = static_cast<double>(words.size() * (words.size() - 1)) / 2;
  EXPECT_GT(words.size(), 850u);
  double between = 0;
  for (size_t a = 0; a < words.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      for (uint32_t i = 0; i < 8; ++i) {
        between += CacheLineBloomPosition(words[a], i) == CacheLineBloomPosition(words[b], i);
      }
    }
  }
  EXPECT_NEAR(between, pairs * 8 / 512, 4 * std::sqrt(pairs * 8 / 512));
}

}  // namespace
}  // namespace siltstone
