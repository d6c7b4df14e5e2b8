#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/filter.h"

#include "base/to_absl.h"
#include "tests/filter/any_filter.h"
#include "tests/filter/filter_test_keys.h"

namespace siltstone {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<ScalableBloomFilter> Reserve(double chance, uint64_t capacity,
                                             const ScalingOptions& options = {}) {
  auto filter = ScalableBloomFilter::Reserve(chance, capacity, options);
  EXPECT_TRUE(filter.ok()) << filter.status();
  return filter.ok() ? *std::move(filter) : nullptr;
}

double CountGhosts(const Filter& filter, uint64_t probes) {
  double count = 0;
  for (uint64_t i = 0; i < probes; ++i) count += filter.MayContain("ghost:" + std::to_string(i));
  return count;
}

TEST(ScalableBloomFilter, AddSaysWhetherTheKeyWasNew) {
  const auto filter = Reserve(1e-6, 100);
  EXPECT_EQ(*filter->Add("stone"), true);
  EXPECT_EQ(*filter->Add("stone"), false);
  EXPECT_EQ(*filter->Add("silt"), true);
  EXPECT_EQ(filter->count(), 2u);
  EXPECT_TRUE(filter->MayContain("stone"));
  EXPECT_FALSE(filter->MayContain("sand"));
}

// The whole point: however far it grows, the total stays under the target.
TEST(ScalableBloomFilter, TheTotalErrorStaysUnderTheTarget) {
  constexpr uint64_t kFirst = 1000, kProbes = 100'000;
  for (const double chance : {0.1, 0.01}) {
    for (const ScalingOptions& options :
         {ScalingOptions{}, ScalingOptions{.expansion = 4}, ScalingOptions{.tightening = 0.85},
          ScalingOptions{.tightening = 0.3}}) {
      const auto filter = Reserve(chance, kFirst, options);
      uint64_t added = 0;
      for (const uint64_t stage : {1'000u, 3'000u, 10'000u, 50'000u, 100'000u}) {
        for (; added < stage; ++added) ASSERT_TRUE(filter->Add(std::to_string(added)).ok());
        const double rate = filter->predicted_fp_rate();
        EXPECT_LT(rate, chance) << stage << " keys in " << filter->parameters();
        const double measured = CountGhosts(*filter, kProbes);
        EXPECT_NEAR(measured, rate * kProbes, 4 * std::sqrt(rate * kProbes)) << stage;
        EXPECT_LT(measured, chance * kProbes + 4 * std::sqrt(chance * kProbes)) << stage;
        EXPECT_FALSE(filter->overfilled());
      }
      EXPECT_GE(filter->sub_filter_count(), 4);
      for (uint64_t i = 0; i < added; ++i) ASSERT_TRUE(filter->MayContain(std::to_string(i))) << i;
      // New keys that were false positives are not counted.
      EXPECT_GT(static_cast<double>(filter->count()),
                (1 - 1.2 * chance) * static_cast<double>(added));
      EXPECT_LE(filter->count(), added);
      EXPECT_LE(filter->count(), filter->capacity());
    }
  }
}

TEST(ScalableBloomFilter, EachSubFilterIsAsManyTimesLargerAsAsked) {
  for (const uint32_t expansion : {1u, 2u, 3u}) {
    const auto filter = Reserve(0.001, 100, {.expansion = expansion});
    uint64_t key = 0, capacity = 100, sum = 100;
    for (int sub_filters = 1; sub_filters <= 5; ++sub_filters) {
      EXPECT_EQ(filter->sub_filter_count(), sub_filters);
      EXPECT_EQ(filter->capacity(), sum);
      while (filter->count() < sum) ASSERT_TRUE(filter->Add(std::to_string(key++)).ok());
      EXPECT_EQ(filter->sub_filter_count(), sub_filters);  // begun only when needed
      while (!*filter->Add(std::to_string(key++))) {
      }
      capacity *= expansion;
      sum += capacity;
    }
  }
}

// The figures of docs/filters.md.
TEST(ScalableBloomFilter, GrownFarBeyondItsReserveItTakesTwiceTheMemory) {
  struct Row {
    uint32_t expansion;
    uint64_t keys;
    int sub_filters;
    double bits_per_key;
  };
  for (const Row& row : {Row{2, 1'000'000, 7, 23.2}, Row{4, 850'000, 4, 14.9}}) {
    const auto filter = Reserve(0.01, 10'000, {.expansion = row.expansion, .seed = kTestKeySeed});
    for (uint64_t i = 0; i < row.keys; ++i) ASSERT_TRUE(filter->AddHash(UserHashes()[i]).ok());
    EXPECT_EQ(filter->sub_filter_count(), row.sub_filters);
    EXPECT_NEAR(8 * static_cast<double>(filter->memory_bytes()) / static_cast<double>(row.keys),
                row.bits_per_key, 0.1);
    EXPECT_LT(filter->predicted_fp_rate(), 0.01);
  }
}

TEST(ScalableBloomFilter, ToldNotToScaleItReportsThatItIsFull) {
  const auto filter = Reserve(0.01, 1000, {.scaling = false});
  uint64_t key = 0;
  while (filter->count() < 1000) ASSERT_TRUE(filter->Add(std::to_string(key++)).ok());
  EXPECT_NEAR(filter->predicted_fp_rate(), 0.01, 0.0015);
  const std::string before = filter->Serialize();
  absl::StatusOr<bool> added = false;
  while (added.ok() && !*added) added = filter->Add(std::to_string(key++));
  EXPECT_TRUE(absl::IsResourceExhausted(added.status()));
  EXPECT_EQ(FromAbsl(added.status().message()),
            "the scalable Bloom filter is full: 1000 keys in 1 sub-filters, and it was told not to "
            "scale");
  EXPECT_TRUE(filter->Serialize() == before);
  // What is there already can be added for ever.
  EXPECT_EQ(*filter->Add("0"), false);
  EXPECT_FALSE(filter->overfilled());
}

TEST(ScalableBloomFilter, HasNoMoreThanSixtyFourSubFilters) {
  const auto filter = Reserve(1e-9, 1, {.expansion = 1});
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = filter->Add(std::to_string(i)).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(filter->sub_filter_count(), 64);
  EXPECT_EQ(filter->count(), 64u);
  EXPECT_LT(filter->predicted_fp_rate(), 1e-9);
}

TEST(ScalableBloomFilter, AddManySaysWhichWereNew) {
  const auto filter = Reserve(1e-6, 4, {.scaling = false});
  const std::vector<std::string_view> first = {"a", "b", "a"};
  bool added[3] = {};
  ASSERT_TRUE(filter->AddMany(first, added).ok());
  EXPECT_THAT(added, testing::ElementsAre(true, true, false));
  ASSERT_TRUE(filter->AddMany(first).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(filter->AddMany(first, std::span<bool>(added, 2))));

  const std::vector<std::string_view> second = {"c", "a", "d", "e", "f"};
  bool more[5] = {true, true, true, true, true};
  const absl::Status status = filter->AddMany(second, more);
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(FromAbsl(status.message())), HasSubstr("at key 3 of 5 to be added"));
  EXPECT_THAT(more, testing::ElementsAre(true, false, true, false, false));
  EXPECT_TRUE(filter->MayContain("d"));
  EXPECT_FALSE(filter->MayContain("e"));
}

TEST(ScalableBloomFilter, GoesOnGrowingFromItsBytes) {
  auto filter = Reserve(0.01, 500, {.expansion = 3, .tightening = 0.7, .seed = 12});
  for (int i = 0; i < 20'000; ++i) {
    if (i % 3000 == 0) {
      auto parsed = ScalableBloomFilter::Parse(filter->Serialize());
      ASSERT_TRUE(parsed.ok()) << parsed.status();
      filter = *std::move(parsed);
    }
    ASSERT_TRUE(filter->Add(std::to_string(i)).ok());
  }
  EXPECT_EQ(filter->scaling_options().expansion, 3u);
  EXPECT_EQ(filter->scaling_options().tightening, 0.7);
  EXPECT_EQ(filter->scaling_options().seed, 12u);
  EXPECT_LT(filter->predicted_fp_rate(), 0.01);
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(filter->MayContain(std::to_string(i)));
}

TEST(ScalableBloomFilter, ArgumentsOutOfRangeAreNamed) {
  const auto message = [](double chance, uint64_t capacity, const ScalingOptions& options) {
    const absl::Status status = ScalableBloomFilter::Reserve(chance, capacity, options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(FromAbsl(status.message()));
  };
  EXPECT_EQ(message(0.01, 0, {}), "capacity = 0: legal are 1 to 2^40 keys");
  EXPECT_EQ(message(2, 1, {}), "fp_chance = 2: legal are 2^-40 <= p < 1");
  EXPECT_EQ(message(0.01, 1, {.expansion = 0}), "expansion = 0: legal are 1 to 64");
  EXPECT_EQ(message(0.01, 1, {.expansion = 65}), "expansion = 65: legal are 1 to 64");
  EXPECT_EQ(message(0.01, 1, {.tightening = 1}), "tightening = 1: legal are 0.3 to 0.9");
  EXPECT_EQ(message(0.01, 1, {.tightening = std::nan("")}),
            "tightening = nan: legal are 0.3 to 0.9");
}

}  // namespace
}  // namespace siltstone
