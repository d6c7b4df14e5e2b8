#include "sstable/index_block.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/sstable/table_test_support.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

using ::testing::HasSubstr;

const KeyOrder kBytewise{BytewiseComparator()};

std::string Key(std::string_view user_key, SequenceNumber sequence = 5) {
  return MakeInternalKey(user_key, PackTrailer(sequence, ValueType::kValue));
}

std::string SeparatorUserKey(std::string_view last, std::string_view next) {
  return std::string(ExtractUserKey(MakeSeparator(kBytewise, Key(last), Key(next))));
}

TEST(Separator, IsTheShortestUserKeyBetween) {
  EXPECT_EQ(SeparatorUserKey("the quick brown fox", "the who"), "the r");
  EXPECT_EQ(SeparatorUserKey("abcdef", "abzz"), "abd");
  EXPECT_EQ(SeparatorUserKey("abcdef", "abd_"), "abd");  // neighbours: a beginning of the next
  EXPECT_EQ(SeparatorUserKey("abcdef", "abd"), "abce");  // which must not be the next itself
  EXPECT_EQ(SeparatorUserKey("abc\xff\xff", "abd"), "abc\xff\xff");
  EXPECT_EQ(SeparatorUserKey("abc", "abcd"), "abc");
  EXPECT_EQ(SeparatorUserKey("", "a"), "");
}

TEST(Separator, IsTheWholeLastKeyBetweenVersionsAndUnderOtherOrders) {
  EXPECT_EQ(MakeSeparator(kBytewise, Key("abcdef", 9), Key("abcdef", 8)), Key("abcdef", 9));
  static const BackwardComparator kBackward;
  EXPECT_EQ(MakeSeparator(KeyOrder(&kBackward), Key("zzzzz"), Key("aaaaa")), Key("zzzzz"));
}

TEST(Separator, LiesBetweenForRandomKeys) {
  std::mt19937_64 random(TestSeed());
  const Entries entries = RandomEntries(random(), 3000, kBytewise);
  for (auto it = entries.begin(), next = std::next(it); next != entries.end(); it = next++) {
    const std::string separator = MakeSeparator(kBytewise, it->first, next->first);
    ASSERT_LE(kBytewise.CompareInternalKeys(it->first, separator), 0);
    ASSERT_LT(kBytewise.CompareInternalKeys(separator, next->first), 0);
    ASSERT_LE(separator.size(), it->first.size());
  }
}

class IndexSearch : public testing::TestWithParam<const char*> {};

TEST_P(IndexSearch, FindsWhatALinearSearchFinds) {
  const uint64_t seed = TestSeed();
  std::mt19937_64 random(seed);
  for (const size_t count : {1, 2, 3, 7, 64, 500}) {
    Entries entries;
    for (const auto& entry : RandomEntries(seed + count, count, kBytewise)) {
      entries[GetParam() + entry.first] = "";
    }
    IndexBlockWriter writer;
    std::vector<std::string> separators;
    uint64_t end = 0;
    for (const auto& entry : entries) {
      writer.Add(entry.first, 17 + entry.first.size());
      end += 17 + entry.first.size();
      separators.push_back(entry.first);
    }
    IndexBlockReader index(kBytewise);
    const absl::Status status = IndexBlockReader::Decode(writer.Finish(), kBytewise, end, &index);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(index.block_count(), separators.size());
    EXPECT_EQ(index.handle(separators.size() - 1).end(), end);
    for (int i = 0; i < 2000; ++i) {
      std::string target = separators[random() % separators.size()];
      std::string user_key(ExtractUserKey(target));
      if (random() % 4 == 0) user_key.resize(random() % (user_key.size() + 1));
      if (random() % 4 == 0) user_key.push_back(static_cast<char>(random()));
      const uint64_t trailer = random() % 2 == 0 ? ExtractTrailer(target) + random() % 3 - 1
                                                 : SeekTrailer(random() % 2000);
      target = MakeInternalKey(user_key, trailer);
      const size_t want = static_cast<size_t>(
          std::lower_bound(separators.begin(), separators.end(), target, InternalKeyLess{}) -
          separators.begin());
      ASSERT_EQ(index.Find(user_key, trailer), want);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CommonBeginnings, IndexSearch,
                         testing::Values("", "c", "a common beginning of all the keys/"));

std::string Fault(const std::string& contents, uint64_t end) {
  IndexBlockReader index(kBytewise);
  return std::string(IndexBlockReader::Decode(contents, kBytewise, end, &index).message());
}

TEST(IndexBlock, EveryFaultIsNamed) {
  IndexBlockWriter writer;
  writer.Add(Key("b"), 100);
  writer.Add(Key("d"), 50);
  const std::string good = writer.Finish();
  EXPECT_EQ(Fault(good, 150), "");
  EXPECT_THAT(Fault(good, 151), HasSubstr("data blocks end at 150, expected at 151"));
  EXPECT_THAT(Fault(good + "x", 150), HasSubstr("1 bytes behind 2 entries"));
  for (size_t size = 0; size < good.size(); ++size) EXPECT_NE(Fault(good.substr(0, size), 150), "");
  std::string many = good;
  StoreFixed32(many.data(), UINT32_MAX);
  EXPECT_THAT(Fault(many, 150), HasSubstr("entry count impossible"));

  IndexBlockWriter unordered;
  unordered.Add(Key("b"), 100);
  unordered.Add(Key("b"), 50);
  EXPECT_THAT(Fault(unordered.Finish(), 150), HasSubstr("separator 1 is not after"));
  IndexBlockWriter tiny;
  tiny.Add(Key("b"), 16);
  EXPECT_THAT(Fault(tiny.Finish(), 16), HasSubstr("malformed"));
}

}  // namespace
}  // namespace siltstone
