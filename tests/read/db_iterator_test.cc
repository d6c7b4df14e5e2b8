#include "engine/read/db_iterator.h"

#include <functional>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "engine/read/merging_iterator.h"
#include "tests/read/vector_iterator.h"

namespace siltstone::read_test {
namespace {

const KeyOrder kBytewise(BytewiseComparator());

std::string ValueKey(std::string_view key, SequenceNumber sequence) {
  return MakeInternalKey(key, PackTrailer(sequence, ValueType::kValue));
}
std::string Tombstone(std::string_view key, SequenceNumber sequence) {
  return MakeInternalKey(key, PackTrailer(sequence, ValueType::kDeletion));
}

std::unique_ptr<Iterator> Open(const Entries& entries, DbIteratorOptions options,
                               FaultPlan* plan = nullptr) {
  options.source = std::make_unique<VectorIterator>(options.order, &entries, plan);
  return NewDbIterator(std::move(options));
}

std::string Forward(Iterator& it) {
  std::string text;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    text.append(it.key()).append("=").append(it.value()).append(" ");
  }
  EXPECT_TRUE(it.status().ok());
  return text;
}
std::string Backward(Iterator& it) {
  std::string text;
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    text.append(it.key()).append("=").append(it.value()).append(" ");
  }
  EXPECT_TRUE(it.status().ok());
  return text;
}

TEST(DbIterator, ShowsTheNewestVisibleVersionAndHidesTombstones) {
  const Entries entries = {{ValueKey("a", 4), "4"},
                           {ValueKey("a", 2), "2"},
                           {Tombstone("b", 3), ""},
                           {ValueKey("b", 1), "1"},
                           {ValueKey("c", 9), "9"}};
  auto newest = Open(entries, {.order = kBytewise});
  EXPECT_EQ(Forward(*newest), "a=4 c=9 ");
  EXPECT_EQ(Backward(*newest), "c=9 a=4 ");
  auto at_2 = Open(entries, {.order = kBytewise, .sequence = 2});
  EXPECT_EQ(Forward(*at_2), "a=2 b=1 ");
  EXPECT_EQ(Backward(*at_2), "b=1 a=2 ");
}

TEST(DbIterator, TheEmptyKeyIsAKeyLikeAnyOther) {
  const Entries entries = {{ValueKey("", 2), "empty"}, {ValueKey("a", 1), ""}};
  auto it = Open(entries, {.order = kBytewise});
  EXPECT_EQ(Forward(*it), "=empty a= ");
  EXPECT_EQ(Backward(*it), "a= =empty ");
  it->SeekForPrev("");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "empty");
}

TEST(DbIterator, StaysWithinItsBoundsFromEverySeek) {
  Entries entries;
  for (char c = 'a'; c <= 'i'; ++c) entries.emplace_back(ValueKey(std::string(1, c), 1), "");
  auto it = Open(entries, {.order = kBytewise, .lower = "c", .upper = "f"});
  EXPECT_EQ(Forward(*it), "c= d= e= ");
  EXPECT_EQ(Backward(*it), "e= d= c= ");
  it->Seek("a");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "c");
  it->Seek("f");
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev("z");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "e");
  it->SeekForPrev("b");
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST(DbIterator, AnEmptyRangeReadsNothing) {
  const Entries entries = {{ValueKey("c", 1), ""}};
  FaultPlan plan;
  auto it = Open(entries, {.order = kBytewise, .lower = "d", .upper = "b"}, &plan);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev("c");
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(plan.calls, 0);
}

TEST(DbIterator, APrefixNarrowsTheBounds) {
  const Entries entries = {{ValueKey("a", 1), ""},         {ValueKey("a\xff", 1), ""},
                           {ValueKey("a\xff\xff", 1), ""}, {ValueKey("b", 1), ""},
                           {ValueKey("\xff", 1), ""},      {ValueKey("\xff\xff", 1), ""}};
  auto a = Open(entries, {.order = kBytewise, .prefix = "a"});
  EXPECT_EQ(Forward(*a), "a= a\xff= a\xff\xff= ");
  auto with_lower = Open(entries, {.order = kBytewise, .lower = "a\xff", .prefix = "a"});
  EXPECT_EQ(Backward(*with_lower), "a\xff\xff= a\xff= ");
  auto all_ff = Open(entries, {.order = kBytewise, .prefix = "\xff"});
  EXPECT_EQ(Backward(*all_ff), "\xff\xff= \xff= ");
  auto empty = Open(entries, {.order = kBytewise, .upper = "a\xff", .prefix = ""});
  EXPECT_EQ(Forward(*empty), "a= ");
}

TEST(DbIterator, APrefixUnderAnotherOrderIsRefused) {
  const Entries entries;
  auto it = Open(entries, {.order = KeyOrder(ReverseComparator()), .prefix = "a"});
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DbIterator, PassesManyVersionsBySeeks) {
  Entries entries;
  for (SequenceNumber s = 5000; s > 0; --s)
    entries.emplace_back(ValueKey("a", s), std::to_string(s));
  for (SequenceNumber s = 9000; s > 5000; --s) entries.emplace_back(Tombstone("b", s), "");
  entries.emplace_back(ValueKey("c", 2), "c");
  for (const SequenceNumber sequence : {2, 2500, 4999, 7000, 10000}) {
    FaultPlan plan;
    auto it = Open(entries, {.order = kBytewise, .sequence = sequence}, &plan);
    const std::string a = "a=" + std::to_string(std::min<SequenceNumber>(sequence, 5000)) + " ";
    EXPECT_EQ(Forward(*it), a + "c=c ");
    EXPECT_EQ(Backward(*it), "c=c " + a);
    EXPECT_LT(plan.calls, 150) << "at " << sequence;
  }
}

TEST(DbIterator, ATargetMayLieInItsOwnKey) {
  const Entries entries = {{ValueKey("a", 1), ""}, {ValueKey("b", 1), ""}, {ValueKey("c", 1), ""}};
  auto it = Open(entries, {.order = kBytewise});
  it->SeekToLast();
  it->Prev();
  it->Seek(it->key());
  ASSERT_TRUE(it->Valid());
  it->SeekForPrev(it->key());
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "b");
}

TEST(DbIterator, MovesThatNeedAnEntryDoNothingWithoutOne) {
  const Entries entries = {{ValueKey("a", 1), ""}};
  auto it = Open(entries, {.order = kBytewise});
  it->Next();
  it->Prev();
  EXPECT_FALSE(it->Valid());
  it->SeekToFirst();
  it->Next();
  it->Next();
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST(DbIterator, PassesTheCostOfItsSourceOnAfterEachCall) {
  const Entries entries = {{ValueKey("a", 1), ""}};
  EngineCounters counters;
  ReadReceipt receipt;
  auto cost = std::make_unique<ReadReceipt>();
  ReadReceipt* const source_cost = cost.get();
  auto it = Open(entries, {.order = kBytewise,
                           .source_cost = std::move(cost),
                           .counters = &counters,
                           .receipt = &receipt});
  source_cost->data_blocks_from_file = 2;
  source_cost->bytes_from_file = 100;
  it->SeekToFirst();
  source_cost->data_blocks_from_cache = 1;
  it->Next();
  EXPECT_EQ(receipt.data_blocks_from_file, 2u);
  EXPECT_EQ(receipt.data_blocks_from_cache, 1u);
  EXPECT_EQ(counters.Sum(kBytesRead), 100u);
  EXPECT_EQ(counters.Sum(kBlockCacheHits), 1u);
  EXPECT_EQ(counters.Sum(kIteratorsCreated), 1u);
  EXPECT_EQ(counters.Sum(kIteratorSeeks), 1u);
  EXPECT_EQ(counters.Sum(kIteratorSteps), 1u);
}

TEST(DbIterator, TheKeeperGoesLast) {
  // A source that looks at what the keeper keeps when it is destroyed.
  class Watcher final : public InternalIterator {
   public:
    Watcher(std::weak_ptr<int> kept, bool* was_alive)
        : kept_(std::move(kept)), was_alive_(was_alive) {}
    ~Watcher() override { *was_alive_ = !kept_.expired(); }
    bool Valid() const override { return false; }
    void SeekToFirst() override {}
    void SeekToLast() override {}
    void Seek(std::string_view) override {}
    void SeekForPrev(std::string_view) override {}
    void Next() override {}
    void Prev() override {}
    std::string_view key() const override { return {}; }
    std::string_view value() const override { return {}; }
    absl::Status status() const override { return absl::OkStatus(); }

   private:
    const std::weak_ptr<int> kept_;
    bool* const was_alive_;
  };
  auto kept = std::make_shared<int>(1);
  bool was_alive = false;
  auto source = std::make_unique<Watcher>(kept, &was_alive);
  auto it =
      NewDbIterator({.order = kBytewise, .keeper = std::move(kept), .source = std::move(source)});
  it.reset();
  EXPECT_TRUE(was_alive);
}

TEST(ErrorIterator, StandsNowhereAndSaysWhy) {
  auto it = NewErrorIterator(absl::FailedPreconditionError("the database is closed"));
  it->SeekToFirst();
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status().message(), "the database is closed");
}

// A random history over several sorted sources, and what is visible of it within random bounds.
struct Case {
  KeyOrder order = kBytewise;
  std::vector<Entries> sources;
  SequenceNumber sequence = 0;
  std::optional<std::string> lower = {}, upper = {}, prefix = {};
  std::vector<std::pair<std::string, std::string>> visible = {};
};

std::string RandomKey(std::mt19937_64& random) {
  std::string key;
  for (size_t n = random() % 4; n > 0; --n) key.push_back("ab\xff"[random() % 3]);
  return key;
}

bool InBounds(const Case& c, const std::string& key) {
  return (!c.lower || c.order.CompareUserKeys(key, *c.lower) >= 0) &&
         (!c.upper || c.order.CompareUserKeys(key, *c.upper) < 0) &&
         (!c.prefix || key.starts_with(*c.prefix));
}

Case RandomCase(std::mt19937_64& random) {
  Case c;
  if (random() % 4 == 0) c.order = KeyOrder(ReverseComparator());
  c.sources.resize(1 + random() % 4);
  const SequenceNumber last = random() % 150;
  c.sequence = random() % 3 == 0 ? kMaxSequenceNumber : random() % (last + 1);
  if (random() % 3 == 0) c.lower = RandomKey(random);
  if (random() % 3 == 0) c.upper = RandomKey(random);
  if (c.order.bytewise() && random() % 3 == 0) c.prefix = RandomKey(random).substr(0, 2);
  // Few keys in half of the cases: many versions of each.
  const bool few_keys = random() % 2 == 0;
  std::map<std::string, std::optional<std::string>> newest;
  for (SequenceNumber s = 1; s <= last; ++s) {
    const std::string key = RandomKey(random).substr(0, few_keys ? 1 : 3);
    const bool is_value = random() % 3 != 0;
    const std::string value = is_value ? std::to_string(s) : "";
    c.sources[random() % c.sources.size()].emplace_back(
        is_value ? ValueKey(key, s) : Tombstone(key, s), value);
    if (s > c.sequence) continue;
    newest[key] = is_value ? std::optional(value) : std::nullopt;
  }
  for (Entries& entries : c.sources) SortEntries(c.order, &entries);
  for (const auto& [key, value] : newest) {
    if (value && InBounds(c, key)) c.visible.emplace_back(key, *value);
  }
  if (!c.order.bytewise()) std::reverse(c.visible.begin(), c.visible.end());
  return c;
}

std::unique_ptr<Iterator> Open(const Case& c, FaultPlan* plan) {
  std::vector<std::unique_ptr<InternalIterator>> children;
  for (const Entries& entries : c.sources) {
    children.push_back(std::make_unique<VectorIterator>(c.order, &entries, plan));
  }
  return NewDbIterator({.order = c.order,
                        .source = NewMergingIterator(c.order, std::move(children)),
                        .sequence = c.sequence,
                        .lower = c.lower,
                        .upper = c.upper,
                        .prefix = c.prefix});
}

// Makes one random move of both; the model's position is an index, one past the end: invalid.
void RandomMove(std::mt19937_64& random, const Case& c, Iterator& it, size_t* at) {
  const size_t end = c.visible.size();
  const uint64_t move = *at == end ? random() % 4 : random() % 20;
  const auto count_before = [&](const std::string& key, bool or_equal) {
    size_t count = 0;
    for (const auto& entry : c.visible) {
      const int order = c.order.CompareUserKeys(entry.first, key);
      count += order < 0 || (or_equal && order == 0);
    }
    return count;
  };
  const std::string target = RandomKey(random);
  if (move >= 12) {
    it.Next();
    ++*at;
  } else if (move >= 4) {
    it.Prev();
    *at = *at == 0 ? end : *at - 1;
  } else if (move == 0) {
    it.SeekToFirst();
    *at = 0;
  } else if (move == 1) {
    it.SeekToLast();
    *at = end == 0 ? end : end - 1;
  } else if (move == 2) {
    it.Seek(target);
    *at = count_before(target, false);
  } else {
    it.SeekForPrev(target);
    *at = count_before(target, true);
    *at = *at == 0 ? end : *at - 1;
  }
}

TEST(DbIterator, MatchesAMapUnderRandomMovesBoundsAndSnapshots) {
  std::mt19937_64 random(TestSeed(3));
  for (int round = 0; round < 600; ++round) {
    const Case c = RandomCase(random);
    auto it = Open(c, nullptr);
    size_t at = c.visible.size();
    for (int step = 0; step < 100; ++step) {
      RandomMove(random, c, *it, &at);
      ASSERT_TRUE(it->status().ok());
      ASSERT_EQ(it->Valid(), at < c.visible.size()) << "round " << round << " step " << step;
      if (at == c.visible.size()) continue;
      ASSERT_EQ(it->key(), c.visible[at].first) << "round " << round << " step " << step;
      ASSERT_EQ(it->value(), c.visible[at].second) << "round " << round << " step " << step;
    }
  }
}

TEST(DbIterator, AnErrorOfItsSourceNeverLooksLikeTheEndOrAWrongEntry) {
  std::mt19937_64 random(TestSeed(4));
  int errors = 0;
  for (int round = 0; round < 2000; ++round) {
    const Case c = RandomCase(random);
    FaultPlan plan;
    plan.calls_until_failure = static_cast<int>(random() % 200);
    auto it = Open(c, &plan);
    size_t at = c.visible.size();
    for (int step = 0; step < 40; ++step) {
      const bool armed = plan.calls_until_failure >= 0;
      RandomMove(random, c, *it, &at);
      const bool struck = armed && plan.calls_until_failure < 0;
      ASSERT_EQ(it->status().ok(), !struck) << "round " << round << " step " << step;
      ASSERT_EQ(it->Valid(), !struck && at < c.visible.size());
      if (struck) at = c.visible.size();
      errors += struck;
      if (at == c.visible.size()) continue;
      ASSERT_EQ(it->key(), c.visible[at].first);
      ASSERT_EQ(it->value(), c.visible[at].second);
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace siltstone::read_test
