#include "tests/filter/any_filter.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/file_system.h"
#include "siltstone/filter.h"

#include "base/to_absl.h"

// What every kind of filter keeps to.

namespace siltstone {
namespace {

using ::testing::HasSubstr;

class AnyFilter : public testing::TestWithParam<Filter::Kind> {
 protected:
  bool IsExact() const { return GetParam() == Filter::Kind::kExact; }
};

INSTANTIATE_TEST_SUITE_P(Kinds, AnyFilter, testing::ValuesIn(BuiltKinds()), KindTestName);

TEST_P(AnyFilter, NeverDeniesAKeyThatWasAdded) {
  for (const uint64_t count : {1u, 2u, 3u, 63u, 64u, 65u, 1'000u, 100'000u}) {
    for (const double chance : {0.5, 0.01, 1e-4}) {
      const std::vector<std::string> keys = NumberedKeys("user:", count);
      const auto filter = BuildAny(GetParam(), keys, {.fp_chance = chance, .seed = count});
      ASSERT_NE(filter, nullptr);
      for (const std::string& key : keys) {
        ASSERT_TRUE(filter->MayContain(key)) << key << " of " << count << ", " << chance;
        ASSERT_TRUE(filter->MayContainHash(HashFilterKey(key, count)));
      }
    }
  }
}

TEST_P(AnyFilter, SaysMaybeAsOftenAsItPredicts) {
  constexpr uint64_t kKeys = 20'000, kProbes = 200'000;
  for (const double chance : {0.3, 0.1, 0.01, 0.001}) {
    const auto filter = BuildAny(GetParam(), NumberedKeys("user:", kKeys), {.fp_chance = chance});
    ASSERT_NE(filter, nullptr);
    double maybe = 0;
    for (uint64_t i = 0; i < kProbes; ++i) {
      maybe += filter->MayContain("ghost:" + std::to_string(i));
    }
    const double rate = filter->predicted_fp_rate();
    EXPECT_NEAR(maybe, rate * kProbes, 4 * std::sqrt(rate * (1 - rate) * kProbes)) << chance;
    if (IsExact()) continue;
    // Rounding k lifts the standard filter above 0.3, where no k but 1 and 2 is near.
    EXPECT_LT(rate, chance * 1.06);
    EXPECT_GT(rate, chance * 0.4);
  }
}

TEST_P(AnyFilter, SaysWhatItIs) {
  const auto filter =
      BuildAny(GetParam(), NumberedKeys("user:", 1000), {.fp_chance = 0.02, .seed = 5});
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->kind(), GetParam());
  EXPECT_EQ(filter->seed(), 5u);
  EXPECT_EQ(filter->fp_chance(), IsExact() ? 0 : 0.02);
  EXPECT_EQ(filter->capacity(), IsExact() ? 0 : 1000u);
  // A Bloom filter takes a new key that is a false positive for one it has.
  EXPECT_NEAR(static_cast<double>(filter->count()), 1000, 12);
  EXPECT_FALSE(filter->overfilled());
  EXPECT_GT(filter->fill_ratio(), 0.2);
  EXPECT_LE(filter->fill_ratio(), 1);
  EXPECT_THAT(filter->parameters(), HasSubstr("="));
}

TEST_P(AnyFilter, TakesTheMemoryThatWasPlanned) {
  constexpr uint64_t kKeys = 50'000;
  const std::vector<std::string> keys = NumberedKeys("user:", kKeys, 1'000'000);
  for (const double chance : {0.1, 0.01, 0.0003}) {
    const auto plan = PlanFilter(GetParam(), kKeys, chance, /*mean_key_bytes=*/12);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto filter = BuildAny(GetParam(), keys, {.fp_chance = chance});
    ASSERT_NE(filter, nullptr);
    const double planned = static_cast<double>(plan->bytes);
    EXPECT_GE(static_cast<double>(filter->memory_bytes()), planned * 0.99);
    if (IsExact()) {
      // Slots and keys grow by doubling: half of each may be room to spare.
      EXPECT_LE(static_cast<double>(filter->memory_bytes()), planned * 2 + 300);
    } else {
      EXPECT_LE(static_cast<double>(filter->memory_bytes()), planned * 1.01 + 1000);
      EXPECT_NEAR(filter->predicted_fp_rate() / plan->predicted_fp_rate, 1, 0.1);
    }
  }
}

TEST_P(AnyFilter, AFilterOfNoKeysDeniesAll) {
  const auto filter = BuildAny(GetParam(), {});
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->count(), 0u);
  for (const std::string& key : NumberedKeys("ghost:", 1000)) EXPECT_FALSE(filter->MayContain(key));
  const auto parsed = Filter::Parse(filter->Serialize());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_FALSE((*parsed)->MayContain("key"));
}

TEST_P(AnyFilter, AKeyThatOccursTwiceCountsOnce) {
  std::vector<std::string> keys;
  for (int i = 0; i < 50; ++i) keys.push_back("user:" + std::to_string(i % 5));
  const auto filter = BuildAny(GetParam(), keys, {.fp_chance = 1e-6});
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->count(), 5u);
}

TEST_P(AnyFilter, AnswersManyAsOneByOne) {
  const std::vector<std::string> in = NumberedKeys("user:", 700);
  std::vector<std::string> asked = in;
  for (const std::string& key : NumberedKeys("ghost:", 900)) asked.push_back(key);
  const auto filter = BuildAny(GetParam(), in, {.fp_chance = 0.2});
  ASSERT_NE(filter, nullptr);
  const std::vector<std::string_view> views(asked.begin(), asked.end());
  const std::unique_ptr<bool[]> maybe(new bool[views.size()]());
  filter->MayContainEach(views, {maybe.get(), views.size()});
  for (size_t i = 0; i < views.size(); ++i) ASSERT_EQ(maybe[i], filter->MayContain(views[i])) << i;
  filter->MayContainEach(views, {});
}

TEST_P(AnyFilter, TheSeedMovesTheFalsePositives) {
  if (IsExact()) return;
  const std::vector<std::string> keys = NumberedKeys("user:", 20'000);
  const auto a = BuildAny(GetParam(), keys, {.fp_chance = 0.1, .seed = 1});
  const auto b = BuildAny(GetParam(), keys, {.fp_chance = 0.1, .seed = 2});
  constexpr double kProbes = 100'000;
  double both = 0;
  for (int i = 0; i < static_cast<int>(kProbes); ++i) {
    const std::string ghost = "ghost:" + std::to_string(i);
    both += a->MayContain(ghost) && b->MayContain(ghost);
  }
  const double expected = a->predicted_fp_rate() * b->predicted_fp_rate() * kProbes;
  EXPECT_NEAR(both, expected, 4 * std::sqrt(expected));
}

TEST_P(AnyFilter, ComesBackFromItsBytes) {
  const auto filter =
      BuildAny(GetParam(), NumberedKeys("user:", 3000), {.fp_chance = 0.03, .seed = 77});
  ASSERT_NE(filter, nullptr);
  const std::string bytes = filter->Serialize();
  const auto parsed = Filter::Parse(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ((*parsed)->kind(), filter->kind());
  EXPECT_EQ((*parsed)->seed(), filter->seed());
  EXPECT_EQ((*parsed)->capacity(), filter->capacity());
  EXPECT_EQ((*parsed)->count(), filter->count());
  EXPECT_EQ((*parsed)->fp_chance(), filter->fp_chance());
  EXPECT_EQ((*parsed)->fill_ratio(), filter->fill_ratio());
  EXPECT_EQ((*parsed)->predicted_fp_rate(), filter->predicted_fp_rate());
  EXPECT_EQ((*parsed)->parameters(), filter->parameters());
  for (const std::string& key : NumberedKeys("user:", 6000)) {
    ASSERT_EQ((*parsed)->MayContain(key), filter->MayContain(key)) << key;
  }
  EXPECT_TRUE((*parsed)->Serialize() == bytes);
}

TEST_P(AnyFilter, ComesBackFromAFile) {
  const std::shared_ptr<FileSystem> file_system = NewMemoryFileSystem();
  const auto filter = BuildAny(GetParam(), NumberedKeys("user:", 100));
  ASSERT_NE(filter, nullptr);
  ASSERT_TRUE(filter->Write(*file_system, "/a.filter").ok());
  ASSERT_TRUE(filter->Write(*file_system, "/a.filter").ok());
  const auto read = Filter::Read(*file_system, "/a.filter");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE((*read)->Serialize() == filter->Serialize());
}

TEST_P(AnyFilter, AnswersManyThreadsAtOnce) {
  const auto filter = BuildAny(GetParam(), NumberedKeys("user:", 2000));
  ASSERT_NE(filter, nullptr);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&filter] {
      for (const std::string& key : NumberedKeys("user:", 2000)) {
        EXPECT_TRUE(filter->MayContain(key));
      }
      EXPECT_FALSE(filter->Serialize().empty());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(AnyFilter, HasANameThatIsRead) {
  const auto kind = ParseFilterKind(FilterKindName(GetParam()));
  ASSERT_TRUE(kind.ok()) << kind.status();
  EXPECT_EQ(*kind, GetParam());
}

TEST(FilterKindNames, OthersAreRefusedWithTheList) {
  const absl::Status status = ParseFilterKind("quotient").status();
  EXPECT_EQ(FromAbsl(status.message()),
            "filter kind = \"quotient\": legal are standard, bloom, ribbon, counting, cuckoo, "
            "scalable, exact");
  EXPECT_EQ(FilterKindName(static_cast<Filter::Kind>(99)), "unknown");
  EXPECT_TRUE(absl::IsInvalidArgument(Filter::Build(static_cast<Filter::Kind>(99), {}).status()));
}

TEST(StaticFilter, IsOfTwoKindsOnly) {
  const absl::Status status = StaticFilter::Build(Filter::Kind::kCuckoo, {}).status();
  EXPECT_EQ(FromAbsl(status.message()),
            "kind of a static filter = cuckoo: legal are bloom and ribbon");
  EXPECT_TRUE(absl::IsInvalidArgument(
      StaticFilter::Build(Filter::Kind::kBloom, {}, {.fp_chance = 1}).status()));
}

TEST(StaticFilter, TakesHashesInAnyOrder) {
  const auto up = *StaticFilter::BuildFromHashes(Filter::Kind::kBloom, {1, 2, 3, 4});
  const auto down = *StaticFilter::BuildFromHashes(Filter::Kind::kBloom, {4, 3, 3, 2, 1, 4});
  EXPECT_EQ(up->count(), 4u);
  EXPECT_EQ(up->capacity(), 4u);
  EXPECT_TRUE(up->Serialize() == down->Serialize());
}

TEST(FilterClasses, ReadTheirOwnKindOnly) {
  const std::string bytes = (*CuckooFilter::Create({.capacity = 10}))->Serialize();
  EXPECT_TRUE(CuckooFilter::Parse(bytes).ok());
  const absl::Status status = BloomFilter::Parse(bytes).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(FromAbsl(status.message()), "filter file kind: observed cuckoo, expected standard");
  EXPECT_TRUE(absl::IsInvalidArgument(StaticFilter::Parse(bytes).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(CountingBloomFilter::Parse(bytes).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ScalableBloomFilter::Parse(bytes).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ExactSet::Parse(bytes).status()));
  EXPECT_TRUE(absl::IsDataLoss(ExactSet::Parse("").status()));
}

}  // namespace
}  // namespace siltstone
