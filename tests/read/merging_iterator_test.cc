#include "engine/read/merging_iterator.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/read/vector_iterator.h"

namespace siltstone::read_test {
namespace {

std::string Key(std::string_view user_key, SequenceNumber sequence) {
  return MakeInternalKey(user_key, PackTrailer(sequence, ValueType::kValue));
}

std::unique_ptr<InternalIterator> Merge(KeyOrder order, const std::vector<Entries>& children,
                                        FaultPlan* plan = nullptr) {
  std::vector<std::unique_ptr<InternalIterator>> iterators;
  for (const Entries& entries : children) {
    iterators.push_back(std::make_unique<VectorIterator>(order, &entries, plan));
  }
  return NewMergingIterator(order, std::move(iterators));
}

const KeyOrder kBytewise(BytewiseComparator());

TEST(MergingIterator, OfNothingIsEmpty) {
  auto merged = Merge(kBytewise, {});
  merged->SeekToFirst();
  EXPECT_FALSE(merged->Valid());
  merged->SeekToLast();
  EXPECT_FALSE(merged->Valid());
  EXPECT_TRUE(merged->status().ok());
}

TEST(MergingIterator, VersionsOfOneKeyComeNewestFirstWhicheverChildHasThem) {
  const std::vector<Entries> children = {{{Key("k", 5), "5"}, {Key("k", 1), "1"}},
                                         {{Key("k", 9), "9"}, {Key("k", 3), "3"}}};
  auto merged = Merge(kBytewise, children);
  std::string forward, backward;
  for (merged->SeekToFirst(); merged->Valid(); merged->Next()) forward += merged->value();
  for (merged->SeekToLast(); merged->Valid(); merged->Prev()) backward += merged->value();
  EXPECT_EQ(forward, "9531");
  EXPECT_EQ(backward, "1359");
}

TEST(MergingIterator, KeysThatDifferOnlyByTrailingZeroesOrBehindEightBytesAreOrdered) {
  const std::string zero(1, '\0');
  const std::vector<Entries> children = {{{Key("a" + zero, 1), "1"}, {Key("abcdefgh2", 1), "4"}},
                                         {{Key("a", 1), "0"}, {Key("abcdefgh1", 1), "3"}},
                                         {{Key("a" + zero + zero, 1), "2"}}};
  auto merged = Merge(kBytewise, children);
  std::string forward;
  for (merged->SeekToFirst(); merged->Valid(); merged->Next()) forward += merged->value();
  EXPECT_EQ(forward, "01234");
}

TEST(MergingIterator, EqualInternalKeysComeInTheOrderOfTheChildrenBothWays) {
  const std::vector<Entries> children = {
      {{Key("k", 1), "0"}}, {{Key("k", 1), "1"}}, {{Key("k", 1), "2"}}};
  auto merged = Merge(kBytewise, children);
  merged->SeekToFirst();
  ASSERT_TRUE(merged->Valid());
  EXPECT_EQ(merged->value(), "0");
  merged->Next();
  EXPECT_EQ(merged->value(), "1");
  merged->Prev();
  ASSERT_TRUE(merged->Valid());
  EXPECT_EQ(merged->value(), "0");
  merged->Next();
  merged->Next();
  ASSERT_TRUE(merged->Valid());
  EXPECT_EQ(merged->value(), "2");
  merged->Next();
  EXPECT_FALSE(merged->Valid());
}

// A random set of entries, spread at random over children; some of them empty.
struct Case {
  KeyOrder order = kBytewise;
  std::vector<Entries> children;
  Entries all;  // in order of internal key, then of the child
};

Case RandomCase(std::mt19937_64& random) {
  Case result;
  if (random() % 4 == 0) result.order = KeyOrder(ReverseComparator());
  result.children.resize(random() % 9);
  const size_t count = result.children.empty() ? 0 : random() % 60;
  const bool with_long_keys = random() % 2 == 0;
  for (size_t i = 0; i < count; ++i) {
    std::string user_key = with_long_keys ? "prefix--" : "";
    for (size_t n = random() % 4; n > 0; --n) user_key.push_back("\0a\xff"[random() % 3]);
    const std::string key = Key(user_key, random() % 10);
    Entries& child = result.children[random() % result.children.size()];
    const auto same_key = [&](const auto& entry) { return entry.first == key; };
    if (std::any_of(child.begin(), child.end(), same_key)) continue;
    child.emplace_back(key, std::to_string(i));
  }
  for (Entries& child : result.children) {
    SortEntries(result.order, &child);
    result.all.insert(result.all.end(), child.begin(), child.end());
  }
  std::stable_sort(result.all.begin(), result.all.end(), [&](const auto& a, const auto& b) {
    return result.order.CompareInternalKeys(a.first, b.first) < 0;
  });
  return result;
}

// Makes one random move of both. The model's position is an index; one past the end: invalid.
void RandomMove(std::mt19937_64& random, const Case& c, InternalIterator& merged, size_t* at) {
  const size_t end = c.all.size();
  const uint64_t move = *at == end ? random() % 4 : random() % 20;
  if (move >= 12) {
    merged.Next();
    ++*at;
  } else if (move >= 4) {
    merged.Prev();
    *at = *at == 0 ? end : *at - 1;
  } else if (move == 0) {
    merged.SeekToFirst();
    *at = 0;
  } else if (move == 1) {
    merged.SeekToLast();
    *at = end == 0 ? end : end - 1;
  } else {
    std::string target = Key(std::string(random() % 3, "a\xff"[random() % 2]), random() % 10);
    if (end > 0 && random() % 2 == 0) target = c.all[random() % end].first;
    const auto less = [&](const auto& a, const auto& b) {
      return c.order.CompareInternalKeys(a.first, b.first) < 0;
    };
    const std::pair<std::string, std::string> probe(target, "");
    if (move == 2) {
      merged.Seek(target);
      *at = std::lower_bound(c.all.begin(), c.all.end(), probe, less) - c.all.begin();
    } else {
      merged.SeekForPrev(target);
      *at = std::upper_bound(c.all.begin(), c.all.end(), probe, less) - c.all.begin();
      *at = *at == 0 ? end : *at - 1;
    }
  }
}

TEST(MergingIterator, MatchesASortedListUnderRandomMoves) {
  std::mt19937_64 random(TestSeed(1));
  for (int round = 0; round < 400; ++round) {
    const Case c = RandomCase(random);
    auto merged = Merge(c.order, c.children);
    size_t at = c.all.size();
    for (int step = 0; step < 150; ++step) {
      RandomMove(random, c, *merged, &at);
      ASSERT_TRUE(merged->status().ok());
      ASSERT_EQ(merged->Valid(), at < c.all.size()) << "round " << round << " step " << step;
      if (at == c.all.size()) continue;
      ASSERT_EQ(merged->key(), c.all[at].first) << "round " << round << " step " << step;
      ASSERT_EQ(merged->value(), c.all[at].second) << "round " << round << " step " << step;
    }
  }
}

TEST(MergingIterator, AnErrorOfAnyChildAtAnyMoveMakesItInvalidUntilTheNextSeek) {
  std::mt19937_64 random(TestSeed(2));
  for (int round = 0; round < 1500; ++round) {
    const Case c = RandomCase(random);
    FaultPlan plan;
    plan.calls_until_failure = static_cast<int>(random() % 120);
    auto merged = Merge(c.order, c.children, &plan);
    size_t at = c.all.size();
    for (int step = 0; step < 60; ++step) {
      const bool armed = plan.calls_until_failure >= 0;
      RandomMove(random, c, *merged, &at);
      const bool struck = armed && plan.calls_until_failure < 0;
      ASSERT_EQ(merged->status().ok(), !struck);
      if (struck) {
        ASSERT_FALSE(merged->Valid());
        ASSERT_EQ(merged->status().message(), "planned failure");
        at = c.all.size();
        continue;
      }
      ASSERT_EQ(merged->Valid(), at < c.all.size());
      if (at < c.all.size()) {
        ASSERT_EQ(merged->value(), c.all[at].second);
      }
    }
  }
}

}  // namespace
}  // namespace siltstone::read_test
