#include "filter/table_filter.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/bloom_math.h"
#include "filter/cache_line_bloom.h"
#include "filter/standard_bloom.h"
#include "tests/filter/filter_test_keys.h"

namespace siltstone {
namespace {

std::unique_ptr<FilterReader> Open(std::string block) {
  auto reader = NewTableFilterPolicy({})->OpenReader(std::move(block));
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

std::unique_ptr<FilterReader> BuildOf(const FilterOptions& options, uint64_t salt,
                                      const std::vector<uint64_t>& hashes) {
  std::unique_ptr<FilterBuilder> builder = NewTableFilterPolicy(options)->NewBuilder(salt);
  for (const uint64_t hash : hashes) builder->Add(hash);
  return Open(builder->Finish());
}

TEST(TableFilter, KnowsWhichKindsItBuilds) {
  EXPECT_TRUE(IsFilterKindBuilt(FilterKind::kStandardBloom));
  EXPECT_TRUE(IsFilterKindBuilt(FilterKind::kBloom));
  EXPECT_TRUE(IsFilterKindBuilt(FilterKind::kRibbon));
  EXPECT_FALSE(IsFilterKindBuilt(FilterKind::kAuto));
}

TEST(TableFilter, AChanceOfOneBuildsNoFilter) {
  EXPECT_EQ(NewTableFilterPolicy({FilterKind::kBloom, 1.0})->NewBuilder(1), nullptr);
  EXPECT_EQ(NewTableFilterPolicy({FilterKind::kStandardBloom, 1.0})->NewBuilder(1), nullptr);
}

TEST(TableFilter, RefusesBytesThatAreNoFilter) {
  const std::unique_ptr<FilterPolicy> policy = NewTableFilterPolicy({});
  EXPECT_TRUE(absl::IsDataLoss(policy->OpenReader("").status()));
  EXPECT_TRUE(absl::IsDataLoss(policy->OpenReader(std::string(1000, 'x')).status()));
}

class FilterKinds : public testing::TestWithParam<FilterKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, FilterKinds, testing::ValuesIn(kEveryTableFilter),
                         TableFilterTestName);

TEST_P(FilterKinds, NeverDeniesAKeyThatWasAdded) {
  for (const double chance : {0.999, 0.7, 0.2, 0.01, 1e-6, 1e-15, 1e-300}) {
    for (const uint64_t count : {1u, 3u, 77u, 5000u}) {
      const auto filter = Open(BuildBlock({GetParam(), chance}, count, count));
      ASSERT_NE(filter, nullptr);
      for (uint64_t i = 0; i < count; ++i) {
        ASSERT_TRUE(filter->MayContain(UserHashes()[i])) << chance << ", key " << i;
      }
    }
  }
}

TEST_P(FilterKinds, AnswersManyAsItAnswersEach) {
  for (const uint64_t count : {1u, 30u, 20'000u}) {
    const auto filter = Open(BuildBlock({GetParam(), 0.1}, count, count));
    ASSERT_NE(filter, nullptr);
    std::vector<uint64_t> asked;
    for (size_t i = 0; i < 3000; ++i) {
      asked.push_back(i % 3 == 0 ? UserHashes()[i % count] : GhostHashes()[i]);
    }
    const auto answers = std::make_unique<bool[]>(asked.size());
    for (const size_t size : {0u, 1u, 2u, 15u, 16u, 17u, 31u, 33u, 100u, 3000u}) {
      const std::span<const uint64_t> hashes{asked.data(), size};
      filter->MayContain(hashes, {answers.get(), size});
      for (size_t i = 0; i < size; ++i) {
        ASSERT_EQ(answers[i], filter->MayContain(asked[i])) << count << " keys, " << i;
      }
    }
  }
}

TEST_P(FilterKinds, ReportsWhatItIs) {
  const std::string block = BuildBlock({GetParam(), 0.02}, 5, 1234);
  const size_t payload_bytes = block.size() - kFilterHeaderBytes - kFilterChecksumBytes;
  const auto filter = Open(block);
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->kind_name(), GetParam() == FilterKind::kBloom    ? "bloom"
                                 : GetParam() == FilterKind::kRibbon ? "ribbon"
                                                                     : "standard-bloom");
  EXPECT_EQ(filter->key_count(), 1234u);
  EXPECT_EQ(filter->configured_fp_chance(), 0.02);
  EXPECT_NEAR(filter->predicted_fp_rate(), 0.02, 0.005);
  EXPECT_GE(filter->memory_bytes(), payload_bytes);
  EXPECT_LE(filter->memory_bytes(), payload_bytes + 400);
  filter->Prefetch(UserHashes()[0]);
}

TEST_P(FilterKinds, TakesNoMoreMemoryThanItsBits) {
  // Handed over as the builder leaves it, and in a string with room to spare.
  for (const size_t spare : {0, 100'000}) {
    std::string block = BuildBlock({GetParam(), 0.01}, 1, 20'000);
    const size_t size_bytes = block.size();
    EXPECT_LT(block.capacity(), size_bytes + size_bytes / 16);
    block.reserve(size_bytes + spare);
    const auto filter = Open(std::move(block));
    ASSERT_NE(filter, nullptr);
    EXPECT_LT(filter->memory_bytes(), size_bytes + size_bytes / 16);
  }
}

TEST_P(FilterKinds, AFilterOfNoKeysDeniesAll) {
  const auto filter = BuildOf({GetParam(), 0.01}, 1, {});
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->key_count(), 0u);
  EXPECT_EQ(filter->predicted_fp_rate(), 0);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(filter->MayContain(GhostHashes()[i]));
}

TEST_P(FilterKinds, SaltsMoveTheFalsePositives) {
  const auto a = Open(BuildBlock({GetParam(), 0.1}, 1, 20'000));
  const auto b = Open(BuildBlock({GetParam(), 0.1}, 2, 20'000));
  ASSERT_TRUE(a != nullptr && b != nullptr);
  constexpr int kProbes = 100'000;
  int both = 0;
  for (int i = 0; i < kProbes; ++i) {
    both += a->MayContain(GhostHashes()[i]) && b->MayContain(GhostHashes()[i]);
  }
  // Independent: the product of the rates.
  const double expected = a->predicted_fp_rate() * b->predicted_fp_rate() * kProbes;
  EXPECT_NEAR(both, expected, 4 * std::sqrt(expected));
}

TEST_P(FilterKinds, EqualInputsGiveEqualBytes) {
  const FilterOptions options{GetParam(), 0.01};
  EXPECT_EQ(BuildBlock(options, 3, 500), BuildBlock(options, 3, 500));
  EXPECT_NE(BuildBlock(options, 3, 500), BuildBlock(options, 4, 500));
}

TEST_P(FilterKinds, HashesThatFollowOneAnotherDoNoHarm) {
  // The worst that a weak hash of the caller's could bring: neighbours, and words that differ in high bits only.
  std::vector<uint64_t> low, high;
  for (uint64_t i = 0; i < 20'000; ++i) {
    low.push_back(i);
    high.push_back(i << 44);
  }
  for (const auto& hashes : {low, high}) {
    const auto filter = BuildOf({GetParam(), 0.01}, 9, hashes);
    ASSERT_NE(filter, nullptr);
    const uint64_t step = hashes[1];
    double count = 0;
    for (uint64_t i = 20'000; i < 220'000; ++i) count += filter->MayContain(i * step);
    // The cache-line Bloom takes its hashes for uniform and mixes them less.
    if (GetParam() == FilterKind::kBloom) {
      EXPECT_LT(count, 3000);
      continue;
    }
    EXPECT_NEAR(count, 2000, 4 * std::sqrt(2000) + 60);
    EXPECT_NEAR(filter->predicted_fp_rate(), 0.01, 0.001);
  }
}

TEST_P(FilterKinds, KeysOfOtherOptionsAreRead) {
  const std::unique_ptr<FilterPolicy> other =
      NewTableFilterPolicy({FilterKind::kStandardBloom, 1.0});
  const auto reader = other->OpenReader(BuildBlock({GetParam(), 0.05}, 1, 10));
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->configured_fp_chance(), 0.05);
}

TEST(StandardBloomPositions, FillFiltersOfMoreThan2To32BitsEvenly) {
  const uint64_t bits = StandardBloomBits(1'000'000'000, 0.01);
  ASSERT_GT(bits, uint64_t{1} << 33);
  constexpr size_t kParts = 64, kSamples = 640'000;
  std::vector<double> parts(kParts, 0), low_bits(kParts, 0);
  for (size_t i = 0; i < kSamples; ++i) {
    const uint64_t seed = StandardBloomSeed(UserHashes()[i / 7], 1);
    const uint64_t position = StandardBloomPosition(seed, i % 7, bits);
    ASSERT_LT(position, bits);
    ++parts[FastRange64(UINT64_MAX / bits * position, kParts)];
    ++low_bits[position % kParts];
  }
  for (const auto& counts : {parts, low_bits}) {
    double chi_square = 0;
    for (const double count : counts) {
      chi_square += (count - kSamples / kParts) * (count - kSamples / kParts) / (kSamples / kParts);
    }
    EXPECT_LT(chi_square, 63 + 5 * std::sqrt(2 * 63.0));
  }
}

TEST(StandardBloomPositions, OfOneKeyAreIndependent) {
  // Pairs of probes meet as often as throws of dice: plain double hashing fails this for few bits.
  constexpr uint64_t kBits = 13;
  double equal = 0, arithmetic = 0;
  constexpr int kKeys = 200'000;
  for (int i = 0; i < kKeys; ++i) {
    const uint64_t seed = StandardBloomSeed(UserHashes()[i], 1);
    const uint64_t a = StandardBloomPosition(seed, 0, kBits);
    const uint64_t b = StandardBloomPosition(seed, 1, kBits);
    const uint64_t c = StandardBloomPosition(seed, 2, kBits);
    equal += a == b;
    arithmetic += (b + kBits - a) % kBits == (c + kBits - b) % kBits;
  }
  const double expected = kKeys / 13.0;
  EXPECT_NEAR(equal, expected, 4 * std::sqrt(expected));
  EXPECT_NEAR(arithmetic, expected, 4 * std::sqrt(expected));
}

}  // namespace
}  // namespace siltstone
