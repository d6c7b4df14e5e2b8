#include "memtable/memtable.h"

#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/memtable/memtable_model.h"

namespace siltstone {
namespace {

using State = MemTableLookup::State;

KeyOrder Bytewise() { return KeyOrder(BytewiseComparator()); }
KeyOrder Reverse() {
  static const ReverseComparator reverse;
  return KeyOrder(&reverse);
}

TEST(MemTable, IsEmptyAtFirst) {
  MemTable memtable(Bytewise(), 42);
  EXPECT_EQ(memtable.id(), 42u);
  EXPECT_TRUE(memtable.empty());
  EXPECT_EQ(memtable.entry_count(), 0u);
  EXPECT_EQ(memtable.used_bytes(), 0u);
  EXPECT_EQ(memtable.memory_bytes(), sizeof(MemTable));
  EXPECT_EQ(memtable.smallest_sequence(), kMaxSequenceNumber);
  EXPECT_EQ(memtable.largest_sequence(), 0u);
  EXPECT_EQ(memtable.Get("", kMaxSequenceNumber).state, State::kAbsent);
  auto it = memtable.NewIterator();
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  it->SeekToLast();
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev(MakeInternalKey("z", 0));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST(MemTable, AnswersAtEverySequenceNumber) {
  MemTable memtable(Bytewise(), 1);
  memtable.Add(10, ValueType::kValue, "key", "old");
  memtable.Add(20, ValueType::kDeletion, "key", "");
  memtable.Add(30, ValueType::kValue, "key", "new");
  EXPECT_EQ(memtable.Get("key", 9).state, State::kAbsent);
  EXPECT_EQ(memtable.Get("key", 10).value, "old");
  EXPECT_EQ(memtable.Get("key", 19).value, "old");
  EXPECT_EQ(memtable.Get("key", 20).state, State::kDeleted);
  EXPECT_EQ(memtable.Get("key", 29).sequence, 20u);
  EXPECT_EQ(memtable.Get("key", kMaxSequenceNumber).value, "new");
  EXPECT_EQ(memtable.Get("key", 30).sequence, 30u);
  EXPECT_EQ(memtable.Get("ke", 30).state, State::kAbsent);
  EXPECT_EQ(memtable.Get("key\0", 30).value, "new");
  EXPECT_EQ(memtable.Get(std::string_view("key\0", 4), 30).state, State::kAbsent);
  EXPECT_EQ(memtable.smallest_sequence(), 10u);
  EXPECT_EQ(memtable.largest_sequence(), 30u);
  EXPECT_EQ(memtable.entry_count(), 3u);
}

TEST(MemTable, TheLargestSequenceNumberFits) {
  MemTable memtable(Bytewise(), 1);
  memtable.Add(kMaxSequenceNumber, ValueType::kValue, "a", "1");
  EXPECT_EQ(memtable.Get("a", kMaxSequenceNumber).value, "1");
  EXPECT_EQ(memtable.Get("a", kMaxSequenceNumber - 1).state, State::kAbsent);
}

TEST(MemTable, HoldsEmptyKeysAndEmptyValues) {
  MemTable memtable(Bytewise(), 1);
  memtable.Add(1, ValueType::kValue, std::string_view(), "of the empty key");
  memtable.Add(2, ValueType::kValue, "k", std::string_view());
  EXPECT_EQ(memtable.Get("", 2).value, "of the empty key");
  EXPECT_EQ(memtable.Get("k", 2).state, State::kFound);
  EXPECT_EQ(memtable.Get("k", 2).value, "");
}

TEST(MemTable, HoldsKeysOf8MiBAndValuesOf64MiB) {
  MemTable memtable(Bytewise(), 1);
  const std::string key(size_t{8} << 20, 'k');
  const std::string value(size_t{64} << 20, 'v');
  memtable.Add(1, ValueType::kValue, key, value);
  memtable.Add(2, ValueType::kValue, key.substr(1), "shorter");
  EXPECT_TRUE(memtable.Get(key, 2).value == value);
  EXPECT_EQ(memtable.Get(key.substr(1), 2).value, "shorter");
  auto it = memtable.NewIterator();
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_TRUE(ExtractUserKey(it->key()) == key);
  EXPECT_TRUE(it->value() == value);
}

TEST(MemTable, IteratorKeysAreInternalKeysInOnePiece) {
  MemTable memtable(Bytewise(), 1);
  memtable.Add(77, ValueType::kValue, "apple", "red");
  auto it = memtable.NewIterator();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), MakeInternalKey("apple", PackTrailer(77, ValueType::kValue)));
  EXPECT_EQ(it->value(), "red");
}

TEST(MemTable, MemoryIsCountedExactly) {
  MemTable memtable(Bytewise(), 1);
  memtable.Add(1, ValueType::kValue, "k", "v");
  EXPECT_EQ(memtable.memory_bytes(), sizeof(MemTable) + Arena::kMinChunkBytes);
  const size_t used = memtable.used_bytes();
  memtable.Add(2, ValueType::kValue, "large", std::string(1 << 20, 'v'));
  EXPECT_GE(memtable.used_bytes(), used + (1 << 20));
  EXPECT_LT(memtable.memory_bytes(), (1 << 20) + 8192 + sizeof(MemTable));
}

TEST(MemTable, AnIteratorSeesWhatIsAddedBehindIt) {
  MemTable memtable(Bytewise(), 1);
  memtable.Add(1, ValueType::kValue, "a", "1");
  auto it = memtable.NewIterator();
  it->SeekToFirst();
  memtable.Add(2, ValueType::kValue, "b", "2");
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "2");
  it->Next();
  EXPECT_FALSE(it->Valid());
}

// --- beside the model ---

class MemTableBesideModel : public testing::TestWithParam<bool> {
 protected:
  MemTableBesideModel()
      : seed_(TestSeed(20240601)),
        random_(seed_),
        order_(GetParam() ? Reverse() : Bytewise()),
        memtable_(order_, 1),
        model_(order_) {
    std::cout << "SILTSTONE_TEST_SEED=" << seed_ << "\n";
  }

  void ExpectSamePlace(const InternalIterator& it, MemTableModel::Map::const_iterator expected) {
    if (expected == model_.entries().end()) {
      ASSERT_FALSE(it.Valid());
      ASSERT_TRUE(it.status().ok());
      return;
    }
    ASSERT_TRUE(it.Valid());
    ASSERT_EQ(it.key(), expected->first);
    ASSERT_EQ(it.value(), expected->second);
  }

  // The model's answer to SeekForPrev; end() when there is none.
  MemTableModel::Map::const_iterator LastAtOrBefore(const std::string& target) const {
    auto it = model_.entries().upper_bound(target);
    return it == model_.entries().begin() ? model_.entries().end() : std::prev(it);
  }

  uint64_t seed_;
  std::mt19937_64 random_;
  KeyOrder order_;
  MemTable memtable_;
  MemTableModel model_;
};

INSTANTIATE_TEST_SUITE_P(Orders, MemTableBesideModel, testing::Bool(),
                         [](const auto& info) { return info.param ? "Reverse" : "Bytewise"; });

TEST_P(MemTableBesideModel, LooksUpTheSameAtEverySequenceNumber) {
  FillBoth(random_, 6000, 100, &memtable_, &model_);
  EXPECT_EQ(memtable_.entry_count(), model_.entries().size());
  EXPECT_EQ(memtable_.smallest_sequence(), 100u);
  EXPECT_EQ(memtable_.largest_sequence(), 6099u);
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = RandomKey(random_);
    const SequenceNumber snapshot = random_() % 6200;
    const MemTableLookup expected = model_.Get(key, snapshot);
    const MemTableLookup got = memtable_.Get(key, snapshot);
    ASSERT_EQ(got.state, expected.state) << key << " at " << snapshot;
    ASSERT_EQ(got.value, expected.value);
    ASSERT_EQ(got.sequence, expected.sequence);
  }
}

TEST_P(MemTableBesideModel, WalksTheSameForwardsAndBackwards) {
  FillBoth(random_, 3000, 1, &memtable_, &model_);
  auto it = memtable_.NewIterator();
  it->SeekToFirst();
  for (auto expected = model_.entries().begin(); expected != model_.entries().end(); ++expected) {
    ASSERT_NO_FATAL_FAILURE(ExpectSamePlace(*it, expected));
    it->Next();
  }
  EXPECT_FALSE(it->Valid());
  it->SeekToLast();
  for (auto expected = model_.entries().end(); expected != model_.entries().begin();) {
    ASSERT_NO_FATAL_FAILURE(ExpectSamePlace(*it, --expected));
    it->Prev();
  }
  EXPECT_FALSE(it->Valid());
}

TEST_P(MemTableBesideModel, MovesTheSameStepByStepWhileItGrows) {
  auto it = memtable_.NewIterator();
  std::optional<std::string> at;  // the model's place: a key, since the map grows too
  SequenceNumber sequence = 1;
  for (int step = 0; step < 20'000; ++step) {
    auto expected = at ? model_.entries().find(*at) : model_.entries().end();
    switch (random_() % 8) {
      case 0:
        it->SeekToFirst();
        expected = model_.entries().begin();
        break;
      case 1:
        it->SeekToLast();
        expected =
            model_.entries().empty() ? model_.entries().end() : std::prev(model_.entries().end());
        break;
      case 2: {
        const std::string target = MakeInternalKey(RandomKey(random_), random_() % (sequence << 8));
        it->Seek(target);
        expected = model_.entries().lower_bound(target);
        break;
      }
      case 3: {
        const std::string target = MakeInternalKey(RandomKey(random_), random_() % (sequence << 8));
        it->SeekForPrev(target);
        expected = LastAtOrBefore(target);
        break;
      }
      case 4:
        if (sequence < 2000) FillBoth(random_, 1, sequence++, &memtable_, &model_);
        break;
      case 5:
        // To an entry that is there: the two seeks agree on it.
        if (!model_.entries().empty()) {
          expected = model_.entries().lower_bound(MakeInternalKey(RandomKey(random_), 0));
          if (expected == model_.entries().end()) expected = model_.entries().begin();
          random_() % 2 == 0 ? it->Seek(expected->first) : it->SeekForPrev(expected->first);
        }
        break;
      case 6:
        if (it->Valid()) {
          it->Next();
          ++expected;
        }
        break;
      default:
        if (it->Valid()) {
          it->Prev();
          expected =
              expected == model_.entries().begin() ? model_.entries().end() : std::prev(expected);
        }
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSamePlace(*it, expected)) << "step " << step;
    at = it->Valid() ? std::optional<std::string>(it->key()) : std::nullopt;
  }
}

TEST_P(MemTableBesideModel, KeysInAnyOrderOfInsertionComeOutSorted) {
  // Ascending, descending and mixed stretches: the writer's finger must never mislead it.
  SequenceNumber sequence = 1;
  for (int stretch = 0; stretch < 60; ++stretch) {
    const uint64_t start = random_() % 100'000;
    const uint64_t kind = random_() % 3;
    for (uint64_t i = 0; i < 100; ++i) {
      const uint64_t number = kind == 0 ? start + i : kind == 1 ? start + 100 - i : random_();
      const std::string key = "key" + std::to_string(1'000'000 + number % 100'000);
      memtable_.Add(sequence, ValueType::kValue, key, "v");
      model_.Add(sequence, ValueType::kValue, key, "v");
      ++sequence;
    }
  }
  auto it = memtable_.NewIterator();
  it->SeekToFirst();
  for (const auto& entry : model_.entries()) {
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->key(), entry.first);
    it->Next();
  }
  EXPECT_FALSE(it->Valid());
}

}  // namespace
}  // namespace siltstone
