#include <cmath>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/filter.h"

#include "base/to_absl.h"
#include "tests/filter/filter_test_keys.h"

namespace siltstone {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<BloomFilter> Create(const FilterDesign& design) {
  auto filter = BloomFilter::Create(design);
  EXPECT_TRUE(filter.ok()) << filter.status();
  return filter.ok() ? *std::move(filter) : nullptr;
}

void AddUsers(BloomFilter& filter, uint64_t first, uint64_t end) {
  for (uint64_t i = first; i < end; ++i) filter.Add("user:" + std::to_string(i));
}

TEST(BloomFilter, UsersAreInAndFewGhostsAre) {
  constexpr uint64_t kKeys = 1'000'000;
  for (const double chance : {0.1, 0.01, 0.001}) {
    const auto filter = Create({.capacity = kKeys, .fp_chance = chance, .seed = kTestKeySeed});
    ASSERT_NE(filter, nullptr);
    for (const uint64_t hash : UserHashes()) filter->AddHash(hash);
    uint64_t denied = 0, false_positives = 0;
    for (const uint64_t hash : UserHashes()) denied += !filter->MayContainHash(hash);
    for (const uint64_t hash : GhostHashes()) false_positives += filter->MayContainHash(hash);
    EXPECT_TRUE(filter->MayContain("user:999999"));
    EXPECT_EQ(denied, 0u);
    const auto plan = PlanFilter(Filter::Kind::kStandardBloom, kKeys, chance);
    ASSERT_TRUE(plan.ok());
    const double expected = plan->predicted_fp_rate * static_cast<double>(kKeys);
    EXPECT_NEAR(static_cast<double>(false_positives), expected,
                4 * std::sqrt(expected * (1 - plan->predicted_fp_rate)))
        << chance;
    EXPECT_NEAR(filter->fill_ratio(), 0.5, 0.04);  // k is rounded
    EXPECT_FALSE(filter->overfilled());
  }
}

TEST(BloomFilter, FilledTwiceItSaysSo) {
  const auto filter = Create({.capacity = 1'000'000, .fp_chance = 0.01, .seed = kTestKeySeed});
  ASSERT_NE(filter, nullptr);
  for (const uint64_t hash : UserHashes()) filter->AddHash(hash);
  EXPECT_FALSE(filter->overfilled());
  EXPECT_NEAR(filter->predicted_fp_rate(), 0.01004, 1e-4);
  for (const uint64_t hash : GhostHashes()) filter->AddHash(hash);
  EXPECT_TRUE(filter->overfilled());
  EXPECT_NEAR(filter->predicted_fp_rate(), 0.157, 1e-3);
}

TEST(BloomFilter, AUnionIsTheFilterOfBothKeySets) {
  const FilterDesign design{.capacity = 10'000, .fp_chance = 0.01, .seed = 7};
  const auto left = Create(design), right = Create(design), both = Create(design);
  AddUsers(*left, 0, 6'000);
  AddUsers(*right, 4'000, 10'000);
  AddUsers(*both, 0, 10'000);
  ASSERT_TRUE(left->UniteWith(*right).ok());
  EXPECT_TRUE(left->bits() == both->bits());
  EXPECT_EQ(left->fill_ratio(), both->fill_ratio());
  // An estimate: the keys that both had are not known.
  EXPECT_NEAR(static_cast<double>(left->count()), 10'000, 150);
  ASSERT_TRUE(left->UniteWith(*left).ok());
  EXPECT_TRUE(left->bits() == both->bits());
}

TEST(BloomFilter, FiltersThatDifferDoNotUnite) {
  const auto filter = *BloomFilter::CreateSized(1000, 7, 1);
  filter->Add("key");
  const std::string before = filter->Serialize();
  const std::pair<std::unique_ptr<BloomFilter>, std::string> others[] = {
      {*BloomFilter::CreateSized(1001, 7, 1), "m do not unite: 1000 and 1001"},
      {*BloomFilter::CreateSized(1000, 6, 1), "k do not unite: 7 and 6"},
      {*BloomFilter::CreateSized(1000, 7, 2), "seeds do not unite: 1 and 2"}};
  for (const auto& [other, message] : others) {
    other->Add("other");
    const absl::Status status = filter->UniteWith(*other);
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_THAT(std::string(FromAbsl(status.message())), HasSubstr(message));
    EXPECT_TRUE(filter->Serialize() == before);
  }
}

TEST(BloomFilter, CountsAKeyOnce) {
  const auto filter = Create({.capacity = 100, .fp_chance = 0.001});
  for (int i = 0; i < 10; ++i) AddUsers(*filter, 0, 50);
  EXPECT_EQ(filter->count(), 50u);
}

TEST(BloomFilter, AnyBytesAreAKey) {
  const auto filter = Create({.capacity = 100, .fp_chance = 1e-9});
  const std::string keys[] = {"", std::string(1, '\0'), std::string(2, '\0'), "\xff",
                              std::string(100'000, 'x')};
  for (const std::string& key : keys) {
    EXPECT_FALSE(filter->MayContain(key));
    filter->Add(key);
    EXPECT_TRUE(filter->MayContain(key));
  }
  EXPECT_EQ(filter->count(), 5u);
}

TEST(BloomFilter, OfGivenSizeIsMadeForHalfOfItsBits) {
  const auto filter = *BloomFilter::CreateSized(10'000'000, 7);
  EXPECT_EQ(filter->bit_count(), 10'000'000u);
  EXPECT_EQ(filter->probes(), 7);
  EXPECT_EQ(filter->capacity(), 990'210u);
  EXPECT_NEAR(filter->fp_chance(), 1.0 / 128, 1e-6);
  const auto tiny = *BloomFilter::CreateSized(1, 64);
  EXPECT_EQ(tiny->capacity(), 1u);
  tiny->Add("key");
  EXPECT_TRUE(tiny->MayContain("key"));
  EXPECT_EQ(tiny->predicted_fp_rate(), 1);
}

TEST(BloomFilter, ArgumentsOutOfRangeAreNamed) {
  const auto message = [](const FilterDesign& design) {
    const absl::Status status = BloomFilter::Create(design).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(FromAbsl(status.message()));
  };
  EXPECT_EQ(message({}), "capacity = 0: legal are 1 to 2^40 keys");
  EXPECT_EQ(message({.capacity = (uint64_t{1} << 40) + 1}),
            "capacity = 1099511627777: legal are 1 to 2^40 keys");
  EXPECT_EQ(message({.capacity = 1, .fp_chance = 1}), "fp_chance = 1: legal are 2^-40 <= p < 1");
  EXPECT_EQ(message({.capacity = 1, .fp_chance = 0}), "fp_chance = 0: legal are 2^-40 <= p < 1");
  EXPECT_EQ(message({.capacity = 1, .fp_chance = std::nan("")}),
            "fp_chance = nan: legal are 2^-40 <= p < 1");
  EXPECT_TRUE(absl::IsInvalidArgument(BloomFilter::CreateSized(0, 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(BloomFilter::CreateSized(UINT64_MAX, 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(BloomFilter::CreateSized(1, 0).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(BloomFilter::CreateSized(1, 65).status()));
}

TEST(BloomFilter, AKeyIsKnownByItsSeededHash) {
  const auto filter = Create({.capacity = 100, .fp_chance = 1e-9, .seed = 99});
  filter->Add("key");
  EXPECT_TRUE(filter->MayContainHash(HashFilterKey("key", 99)));
  EXPECT_FALSE(filter->MayContainHash(HashFilterKey("key")));
  EXPECT_NE(RandomFilterSeed(), RandomFilterSeed());
}

}  // namespace
}  // namespace siltstone
