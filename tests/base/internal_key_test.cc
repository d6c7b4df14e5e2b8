#include "base/internal_key.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// Longer keys first, then bytewise.
class LongestFirst : public Comparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override {
    if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
    return a.compare(b);
  }
  std::string_view name() const override { return "test.longest-first"; }
};

std::string RandomKey(Random& random) {
  std::string key(random.Uniform(12), '\0');
  for (char& c : key) c = "\0\x01\x7f\x80\xff"[random.Uniform(5)];
  return key;
}

TEST(BytewiseComparator, OrdersAsUnsignedBytes) {
  const Comparator& order = *BytewiseComparator();
  EXPECT_LT(order.Compare("a", "b"), 0);
  EXPECT_LT(order.Compare("a", "ab"), 0);
  EXPECT_LT(order.Compare("", std::string("\0", 1)), 0);
  EXPECT_LT(order.Compare("\x7f", "\x80"), 0);
  EXPECT_EQ(order.Compare("ab", "ab"), 0);
  EXPECT_GT(order.Compare("\xff", "\x01zzz"), 0);
  EXPECT_EQ(order.name(), "siltstone.bytewise");
  EXPECT_EQ(BytewiseComparator(), BytewiseComparator());
}

TEST(InternalKey, ComesApartAsItWasPutTogether) {
  const std::string key = MakeInternalKey("user", PackTrailer(77, ValueType::kValue));
  EXPECT_EQ(key.size(), 4 + kTrailerBytes);
  EXPECT_TRUE(IsInternalKey(key));
  EXPECT_EQ(ExtractUserKey(key), "user");
  EXPECT_EQ(TrailerSequence(ExtractTrailer(key)), 77u);
  EXPECT_TRUE(
      IsInternalKey(MakeInternalKey("", PackTrailer(kMaxSequenceNumber, ValueType::kDeletion))));
  EXPECT_FALSE(IsInternalKey("short"));
  EXPECT_FALSE(IsInternalKey(MakeInternalKey("user", 0x02)));
}

TEST(KeyOrder, NewestVersionOfAKeyComesFirst) {
  const KeyOrder order(BytewiseComparator());
  const auto key = [](std::string_view user_key, SequenceNumber sequence, ValueType type) {
    return MakeInternalKey(user_key, PackTrailer(sequence, type));
  };
  const std::vector<std::string> sorted = {
      MakeInternalKey("a", SeekTrailer(9)), key("a", 9, ValueType::kValue),
      key("a", 9, ValueType::kDeletion),    key("a", 8, ValueType::kValue),
      key("aa", 100, ValueType::kValue),    key("b", 1, ValueType::kDeletion)};
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (size_t j = 0; j < sorted.size(); ++j) {
      const int result = order.CompareInternalKeys(sorted[i], sorted[j]);
      EXPECT_EQ(result < 0, i < j) << i << " " << j;
      EXPECT_EQ(result > 0, i > j) << i << " " << j;
    }
  }
}

TEST(KeyOrder, PrefixesOrderAsTheKeysDo) {
  const KeyOrder order(BytewiseComparator());
  Random random(TestSeed());
  for (int i = 0; i < 20000; ++i) {
    const std::string a = RandomKey(random), b = RandomKey(random);
    if (order.Prefix(a) < order.Prefix(b)) {
      ASSERT_LT(order.CompareUserKeys(a, b), 0);
    }
  }
}

TEST(KeyOrder, AnOrderOfTheUsersOwnHasNoPrefixes) {
  const LongestFirst comparator;
  const KeyOrder order(&comparator);
  EXPECT_FALSE(order.bytewise());
  EXPECT_EQ(order.Prefix("abc"), 0u);
  EXPECT_LT(order.CompareUserKeys("zz", "a"), 0);
}

}  // namespace
}  // namespace siltstone
