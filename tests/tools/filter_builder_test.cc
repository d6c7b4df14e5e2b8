#include "tools/filter_builder.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tools/filter_files.h"

namespace siltstone::tools {
namespace {

std::string Key(int i) { return "key" + std::to_string(i); }

// Whether this version can build the kind.
bool IsBuilt(Filter::Kind kind) { return PlanFilter(kind, 10, 0.01).ok(); }

std::unique_ptr<Filter> BuildTwice(Filter::Kind kind, const FilterDesign& design, int count) {
  absl::StatusOr<FilterBuilder> builder = FilterBuilder::Begin(kind, design);
  EXPECT_TRUE(builder.ok()) << builder.status();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) EXPECT_TRUE(builder->Add(Key(i)).ok());
  }
  absl::StatusOr<std::unique_ptr<Filter>> filter = builder->Finish();
  EXPECT_TRUE(filter.ok()) << FilterKindName(kind) << filter.status();
  return filter.ok() ? *std::move(filter) : nullptr;
}

TEST(FilterBuilder, EveryKindHoldsItsKeysAndCountsThemOnce) {
  for (const Filter::Kind kind : kFilterFileKinds) {
    if (!IsBuilt(kind)) continue;
    const std::unique_ptr<Filter> filter = BuildTwice(kind, {}, 500);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->kind(), kind);
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(filter->MayContain(Key(i))) << FilterKindName(kind);
    EXPECT_LE(filter->count(), 500u) << FilterKindName(kind);
    // A Bloom filter to which keys are added one by one takes false positives for keys it has.
    EXPECT_GE(filter->count(), 480u) << FilterKindName(kind);
    EXPECT_FALSE(filter->overfilled()) << FilterKindName(kind);
  }
}

TEST(FilterBuilder, NoKeysMakeAFilterThatSaysNo) {
  for (const Filter::Kind kind : kFilterFileKinds) {
    if (!IsBuilt(kind)) continue;
    const std::unique_ptr<Filter> filter = BuildTwice(kind, {}, 0);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->count(), 0u);
    EXPECT_FALSE(filter->MayContain("")) << FilterKindName(kind);
  }
}

TEST(FilterBuilder, AGivenCapacityMakesEqualShapes) {
  const auto one = BuildTwice(Filter::Kind::kStandardBloom, {.capacity = 1000}, 10);
  const auto other = BuildTwice(Filter::Kind::kStandardBloom, {.capacity = 1000}, 900);
  auto& united = static_cast<BloomFilter&>(*one);
  EXPECT_TRUE(united.UniteWith(static_cast<const BloomFilter&>(*other)).ok());
  EXPECT_EQ(united.bits(), static_cast<const BloomFilter&>(*other).bits());
}

TEST(FilterBuilder, ACuckooFilterThatIsTooSmallIsFull) {
  absl::StatusOr<FilterBuilder> builder =
      FilterBuilder::Begin(Filter::Kind::kCuckoo, {.capacity = 100});
  ASSERT_TRUE(builder.ok());
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(builder->Add(Key(i)).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(builder->Finish().status()));
}

TEST(FilterBuilder, ABadDesignIsRefusedBeforeKeysAreRead) {
  for (const Filter::Kind kind : {Filter::Kind::kBloom, Filter::Kind::kCuckoo}) {
    EXPECT_TRUE(absl::IsInvalidArgument(FilterBuilder::Begin(kind, {.fp_chance = 1}).status()));
    EXPECT_TRUE(absl::IsInvalidArgument(
        FilterBuilder::Begin(kind, {.capacity = uint64_t{1} << 41}).status()));
  }
}

}  // namespace
}  // namespace siltstone::tools
