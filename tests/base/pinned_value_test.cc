#include "siltstone/pinned_value.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

// Counts how often it is let go of.
struct Owner {
  int released = 0;
  static void Release(void* owner) { ++static_cast<Owner*>(owner)->released; }
};

constexpr size_t kSizes[] = {0,
                             1,
                             PinnedValue::kInlineBytes,
                             PinnedValue::kInlineBytes + 1,
                             PinnedValue::kCopyBytes,
                             PinnedValue::kCopyBytes + 1,
                             1 << 20};

TEST(PinnedValue, IsEmptyByDefault) {
  const PinnedValue value = PinnedValue();
  EXPECT_TRUE(value.empty());
  EXPECT_EQ(value.view(), "");
}

TEST(PinnedValue, CopiesOfAnySizeStandAlone) {
  for (const size_t size : kSizes) {
    std::string bytes(size, 'v');
    const PinnedValue value = PinnedValue::Copy(bytes);
    bytes.assign(size, 'x');
    EXPECT_EQ(value.view(), std::string(size, 'v'));
    EXPECT_EQ(value.size(), size);
    EXPECT_EQ(value.ToString(), std::string(size, 'v'));
    const auto* object = reinterpret_cast<const char*>(&value);
    const bool inside = value.data() >= object && value.data() < object + sizeof(value);
    EXPECT_EQ(inside, size <= PinnedValue::kInlineBytes);
  }
}

TEST(PinnedValue, MovesKeepTheBytesAndEmptyTheSource) {
  for (const size_t size : kSizes) {
    PinnedValue first = PinnedValue::Copy(std::string(size, 'v'));
    PinnedValue second = std::move(first);
    EXPECT_TRUE(first.empty());
    EXPECT_EQ(second.view(), std::string(size, 'v'));
    PinnedValue third = PinnedValue::Copy("other");
    third = std::move(second);
    EXPECT_TRUE(second.empty());
    EXPECT_EQ(third.view(), std::string(size, 'v'));
    PinnedValue& self = third;
    third = std::move(self);
    EXPECT_EQ(third.view(), std::string(size, 'v'));
  }
}

TEST(PinnedValue, PinsWithoutCopyingAndReleasesOnce) {
  const std::string bytes = "short";
  Owner owner;
  {
    PinnedValue value = PinnedValue::Pin(bytes, &owner, &Owner::Release);
    EXPECT_EQ(value.data(), bytes.data());
    PinnedValue moved = std::move(value);
    EXPECT_EQ(moved.data(), bytes.data());
    EXPECT_EQ(owner.released, 0);
  }
  EXPECT_EQ(owner.released, 1);
}

TEST(PinnedValue, AssignmentReleasesTheOldOwner) {
  Owner first, second;
  PinnedValue value = PinnedValue::Pin("a", &first, &Owner::Release);
  value = PinnedValue::Pin("b", &second, &Owner::Release);
  EXPECT_EQ(first.released, 1);
  EXPECT_EQ(second.released, 0);
  EXPECT_EQ(value.view(), "b");
  value = PinnedValue();
  EXPECT_EQ(second.released, 1);
}

TEST(PinnedValue, AnEmptyValueCanBePinned) {
  Owner owner;
  { const PinnedValue value = PinnedValue::Pin({}, &owner, &Owner::Release); }
  EXPECT_EQ(owner.released, 1);
}

TEST(PinnedValue, MovesInsideAVector) {
  Owner owner;
  {
    std::vector<PinnedValue> values;
    for (int i = 0; i < 100; ++i) {
      values.push_back(PinnedValue::Copy(std::to_string(i)));
      values.push_back(PinnedValue::Pin("p", &owner, &Owner::Release));
    }
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(values[2 * i].view(), std::to_string(i));
  }
  EXPECT_EQ(owner.released, 100);
}

}  // namespace
}  // namespace siltstone
