#include <cmath>
#include <memory>
#include <string>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/filter.h"

#include "base/random.h"
#include "base/to_absl.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

std::unique_ptr<CuckooFilter> Create(const FilterDesign& design) {
  auto filter = CuckooFilter::Create(design);
  EXPECT_TRUE(filter.ok()) << filter.status();
  return filter.ok() ? *std::move(filter) : nullptr;
}

TEST(CuckooFilter, ForgetsAKeyThatWasRemoved) {
  const auto filter = Create({.capacity = 100, .fp_chance = 1e-6});
  EXPECT_TRUE(filter->Add("stone").ok());
  EXPECT_TRUE(filter->Add("silt").ok());
  EXPECT_TRUE(filter->Remove("stone").ok());
  EXPECT_FALSE(filter->MayContain("stone"));
  EXPECT_TRUE(filter->MayContain("silt"));
  EXPECT_EQ(filter->count(), 1u);
  const absl::Status status = filter->Remove("stone");
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(FromAbsl(status.message()), "the key to be removed is not in the filter");
}

TEST(CuckooFilter, CountsCopiesUpToEight) {
  const auto filter = Create({.capacity = 1000, .fp_chance = 1e-6});
  EXPECT_EQ(filter->Count("stone"), 0);
  for (int i = 1; i <= 8; ++i) {
    ASSERT_TRUE(filter->Add("stone").ok());
    EXPECT_EQ(filter->Count("stone"), i);
  }
  const absl::Status status = filter->Add("stone");
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(FromAbsl(status.message())),
              testing::StartsWith("the cuckoo filter is full: 8 of "));
  for (int i = 7; i >= 0; --i) {
    ASSERT_TRUE(filter->Remove("stone").ok());
    EXPECT_EQ(filter->Count("stone"), i);
  }
}

TEST(CuckooFilter, HoldsWhatItWasMadeFor) {
  // Distinct keys up to the capacity find room, in small filters too.
  Random random(TestSeed());
  for (const uint64_t capacity : {1u, 2u, 5u, 10u, 30u, 100u, 1000u, 50'000u}) {
    for (const double chance : {0.5, 0.1, 0.001}) {
      for (uint64_t trial = 0; trial < (capacity < 1000 ? 50 : 1); ++trial) {
        const auto filter = Create({.capacity = capacity, .fp_chance = chance});
        for (uint64_t i = 0; i < capacity; ++i) {
          ASSERT_TRUE(filter->AddHash(random.Next()).ok())
              << i << " of " << capacity << " at " << chance;
        }
        EXPECT_FALSE(filter->overfilled());
        EXPECT_LE(filter->predicted_fp_rate(), chance);
      }
    }
  }
}

TEST(CuckooFilter, FullMeansNothingHasChanged) {
  const auto filter = Create({.capacity = 2000, .fp_chance = 0.001});
  uint64_t in = 0;
  while (filter->Add("user:" + std::to_string(in)).ok()) ++in;
  EXPECT_GT(filter->fill_ratio(), 0.95);
  EXPECT_TRUE(filter->overfilled());
  EXPECT_EQ(filter->count(), in);
  uint64_t refused = 0;
  for (uint64_t i = 0; refused < 3 && i < 1000; ++i) {
    const std::string state = filter->Serialize();
    if (filter->Add("more:" + std::to_string(i)).ok()) continue;
    ++refused;
    ASSERT_TRUE(filter->Serialize() == state);
  }
  EXPECT_EQ(refused, 3u);
  for (uint64_t i = 0; i < in; ++i) {
    ASSERT_TRUE(filter->MayContain("user:" + std::to_string(i))) << i;
  }
  // Each key can still be taken out, one by one: none was lost.
  for (uint64_t i = 0; i < in; ++i) {
    ASSERT_TRUE(filter->Remove("user:" + std::to_string(i)).ok()) << i;
  }
  EXPECT_LT(filter->count(), 100u);  // what else found room meanwhile
}

// Adds and removes beside a map of how often each key is there. Fills until keys are refused,
// empties by a third, and so on: mostly at loads where fingerprints move.
TEST(CuckooFilter, NeverDeniesWhatTheModelHolds) {
  Random random(TestSeed());
  for (const uint64_t capacity : {20u, 500u, 3000u}) {
    auto filter = Create({.capacity = capacity, .fp_chance = 0.01});
    std::unordered_map<std::string, int> model;
    uint64_t present = 0, refused = 0;
    bool filling = true;
    for (int step = 0; step < 40'000; ++step) {
      const std::string key = "user:" + std::to_string(random.Uniform(capacity));
      int& copies = model[key];
      if (copies > 0 && random.OneIn(filling ? 5 : 1)) {
        ASSERT_TRUE(filter->Remove(key).ok()) << key << " at step " << step;
        --copies, --present;
        if (present < capacity * 2 / 3) filling = true;
      } else {
        const absl::Status status = filter->Add(key);
        if (status.ok()) {
          ++copies, ++present;
        } else {
          ASSERT_TRUE(absl::IsResourceExhausted(status));
          filling = random.OneIn(2);
          ++refused;
        }
      }
      ASSERT_EQ(filter->count(), present);
      ASSERT_GE(filter->Count(key), copies) << key << " at step " << step;
      if (step % 5000 != 0) continue;
      filter = *CuckooFilter::Parse(filter->Serialize());
      for (const auto& [each, times] : model) ASSERT_GE(filter->Count(each), times) << each;
    }
    EXPECT_GT(refused, 0u);
    for (const auto& [key, copies] : model) {
      for (int i = 0; i < copies; ++i) ASSERT_TRUE(filter->Remove(key).ok()) << key;
    }
    EXPECT_EQ(filter->count(), 0u);
  }
}

TEST(CuckooFilter, LongFingerprintsAreKept) {
  const auto filter = Create({.capacity = 5000, .fp_chance = 0x1p-40});
  EXPECT_EQ(filter->fingerprint_bits(), 43);
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(filter->Add(std::to_string(i)).ok());
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(filter->Count(std::to_string(i)), 1);
  for (int i = 5000; i < 50'000; ++i) ASSERT_FALSE(filter->MayContain(std::to_string(i)));
}

}  // namespace
}  // namespace siltstone
