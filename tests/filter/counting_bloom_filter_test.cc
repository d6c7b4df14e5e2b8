#include <memory>
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

#include "siltstone/filter.h"

#include "base/random.h"
#include "base/to_absl.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

std::unique_ptr<CountingBloomFilter> Create(const FilterDesign& design) {
  auto filter = CountingBloomFilter::Create(design);
  EXPECT_TRUE(filter.ok()) << filter.status();
  return filter.ok() ? *std::move(filter) : nullptr;
}

TEST(CountingBloomFilter, ForgetsAKeyThatWasRemoved) {
  const auto filter = Create({.capacity = 100, .fp_chance = 1e-6});
  filter->Add("stone");
  filter->Add("silt");
  EXPECT_EQ(filter->count(), 2u);
  EXPECT_TRUE(filter->Remove("stone").ok());
  EXPECT_FALSE(filter->MayContain("stone"));
  EXPECT_TRUE(filter->MayContain("silt"));
  EXPECT_EQ(filter->count(), 1u);
  EXPECT_TRUE(filter->Remove("silt").ok());
  EXPECT_EQ(filter->fill_ratio(), 0);
  EXPECT_EQ(filter->predicted_fp_rate(), 0);
}

TEST(CountingBloomFilter, AKeyAddedTwiceIsRemovedTwice) {
  const auto filter = Create({.capacity = 100, .fp_chance = 1e-6});
  filter->Add("stone");
  filter->Add("stone");
  EXPECT_TRUE(filter->Remove("stone").ok());
  EXPECT_TRUE(filter->MayContain("stone"));
  EXPECT_TRUE(filter->Remove("stone").ok());
  EXPECT_FALSE(filter->MayContain("stone"));
}

TEST(CountingBloomFilter, RefusesToRemoveWhatIsNotThere) {
  const auto filter = Create({.capacity = 100, .fp_chance = 1e-6});
  filter->Add("stone");
  const std::string before = filter->Serialize();
  const absl::Status status = filter->Remove("silt");
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(FromAbsl(status.message()), "the key to be removed is not in the filter");
  EXPECT_TRUE(filter->Serialize() == before);
}

TEST(CountingBloomFilter, ACounterAtFifteenStaysThere) {
  const auto filter = Create({.capacity = 100, .fp_chance = 0.01});
  for (int i = 0; i < 14; ++i) filter->Add("stone");
  EXPECT_EQ(filter->saturated_counters(), 0u);
  filter->Add("stone");
  const uint64_t saturated = filter->saturated_counters();
  EXPECT_GE(saturated, 5u);
  EXPECT_LE(saturated, 7u);
  for (int i = 0; i < 100; ++i) filter->Add("stone");
  EXPECT_EQ(filter->saturated_counters(), saturated);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(filter->Remove("stone").ok());
  EXPECT_TRUE(filter->MayContain("stone"));
  EXPECT_EQ(filter->saturated_counters(), saturated);
  EXPECT_EQ(filter->count(), 0u);
}

TEST(CountingBloomFilter, OneBelowFifteenGoesDownAgain) {
  const auto filter = Create({.capacity = 100, .fp_chance = 0.01});
  for (int i = 0; i < 14; ++i) filter->Add("stone");
  for (int i = 0; i < 14; ++i) EXPECT_TRUE(filter->Remove("stone").ok());
  EXPECT_FALSE(filter->MayContain("stone"));
  EXPECT_EQ(filter->fill_ratio(), 0);
}

TEST(CountingBloomFilter, PositionsThatFallTogetherDoNoHarm) {
  // One or two counters: all positions of a key are the same few.
  const auto filter = Create({.capacity = 1, .fp_chance = 0.5});
  ASSERT_LE(filter->counter_count(), 2u);
  for (int i = 0; i < 3; ++i) filter->Add(std::to_string(i));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(filter->MayContain(std::to_string(i)));
    EXPECT_TRUE(filter->Remove(std::to_string(i)).ok());
  }
  EXPECT_EQ(filter->fill_ratio(), 0);
}

// Adds and removes beside a map of how often each key is there.
TEST(CountingBloomFilter, NeverDeniesWhatTheModelHolds) {
  Random random(TestSeed());
  for (const uint64_t capacity : {20u, 500u, 3000u}) {
    auto filter = Create({.capacity = capacity, .fp_chance = 0.01});
    std::unordered_map<std::string, int> model;
    uint64_t present = 0;
    for (int step = 0; step < 30'000; ++step) {
      const std::string key = "user:" + std::to_string(random.Uniform(2 * capacity));
      int& copies = model[key];
      if (copies > 0 && random.OneIn(2)) {
        ASSERT_TRUE(filter->Remove(key).ok()) << key << " at step " << step;
        --copies, --present;
      } else if (copies < 3 && present < 2 * capacity) {
        filter->Add(key);
        ++copies, ++present;
      }
      ASSERT_EQ(filter->count(), present);
      ASSERT_TRUE(copies == 0 || filter->MayContain(key)) << key << " at step " << step;
      if (step % 5000 == 0) filter = *CountingBloomFilter::Parse(filter->Serialize());
    }
    for (const auto& [key, copies] : model) {
      ASSERT_TRUE(copies == 0 || filter->MayContain(key)) << key;
    }
    ASSERT_EQ(filter->saturated_counters(), 0u);
    // Without saturation everything can be taken back.
    for (const auto& [key, copies] : model) {
      for (int i = 0; i < copies; ++i) ASSERT_TRUE(filter->Remove(key).ok());
    }
    EXPECT_EQ(filter->fill_ratio(), 0);
  }
}

TEST(CountingBloomFilter, OverfilledItSaysSo) {
  const auto filter = Create({.capacity = 1000, .fp_chance = 0.01});
  for (int i = 0; i < 1000; ++i) filter->Add(std::to_string(i));
  EXPECT_FALSE(filter->overfilled());
  EXPECT_LT(filter->predicted_fp_rate(), 0.012);
  for (int i = 1000; i < 2000; ++i) filter->Add(std::to_string(i));
  EXPECT_TRUE(filter->overfilled());
  EXPECT_NEAR(filter->predicted_fp_rate(), 0.157, 0.02);
  for (int i = 1000; i < 2000; ++i) EXPECT_TRUE(filter->Remove(std::to_string(i)).ok());
  EXPECT_FALSE(filter->overfilled());
}

}  // namespace
}  // namespace siltstone
