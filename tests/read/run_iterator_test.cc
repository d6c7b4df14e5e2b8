#include "engine/read/run_iterator.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/read/view_fixture.h"

namespace siltstone::read_test {
namespace {

std::string Key(std::string_view user_key, SequenceNumber sequence) {
  return MakeInternalKey(user_key, PackTrailer(sequence, ValueType::kValue));
}

TEST(RunIterator, OfNoTablesIsEmpty) {
  auto it = NewRunIterator(KeyOrder(BytewiseComparator()), {});
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  it->SeekToLast();
  EXPECT_FALSE(it->Valid());
  it->Seek(Key("k", 1));
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev(Key("k", 1));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

// Four tables; the versions of "m" lie in two of them.
struct Tables {
  Tables() {
    const std::vector<Entries> parts = {
        {{Key("b", 1), "0"}, {Key("d", 1), "1"}},
        {{Key("f", 9), "2"}, {Key("f", 2), "3"}, {Key("m", 7), "4"}},
        {{Key("m", 5), "5"}},
        {{Key("p", 1), "6"}, {Key("t", 1), "7"}}};
    for (const Entries& part : parts) {
      tables.push_back(maker.Make(part, 1, &fault));
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  TableMaker maker{{}};
  ReadFault fault = false;
  std::vector<std::shared_ptr<Table>> tables;
  Entries all;
};

TEST(RunIterator, IsOneSequenceUnderRandomMoves) {
  Tables t;
  const KeyOrder order = t.maker.order();
  std::mt19937_64 random(TestSeed(10));
  auto it = NewRunIterator(order, t.tables);
  size_t at = t.all.size();
  for (int step = 0; step < 3000; ++step) {
    const uint64_t move = at == t.all.size() ? random() % 4 : random() % 12;
    const std::string target =
        Key(std::string(1, static_cast<char>('a' + random() % 24)), random() % 10);
    const auto below = [&](const auto& entry) {
      return order.CompareInternalKeys(entry.first, target) < 0;
    };
    const size_t lower = static_cast<size_t>(std::count_if(t.all.begin(), t.all.end(), below));
    if (move >= 8) {
      it->Next();
      ++at;
    } else if (move >= 4) {
      it->Prev();
      at = at == 0 ? t.all.size() : at - 1;
    } else if (move == 0) {
      it->SeekToFirst();
      at = 0;
    } else if (move == 1) {
      it->SeekToLast();
      at = t.all.size() - 1;
    } else if (move == 2) {
      it->Seek(target);
      at = lower;
    } else {
      it->SeekForPrev(target);
      const bool is_here = lower < t.all.size() && t.all[lower].first == target;
      at = is_here ? lower : lower == 0 ? t.all.size() : lower - 1;
    }
    ASSERT_TRUE(it->status().ok());
    ASSERT_EQ(it->Valid(), at < t.all.size());
    if (at == t.all.size()) continue;
    ASSERT_EQ(it->key(), t.all[at].first);
    ASSERT_EQ(it->value(), t.all[at].second);
  }
}

TEST(RunIterator, OpensATableOnlyWhenItIsNeeded) {
  Tables t;
  ReadReceipt receipt;
  auto it = NewRunIterator(t.maker.order(), t.tables, {.receipt = &receipt});
  EXPECT_EQ(receipt.tables_considered, 0u);
  it->Seek(Key("f", 20));
  EXPECT_EQ(receipt.tables_considered, 1u);
  it->Seek(Key("f", 5));
  EXPECT_EQ(receipt.tables_considered, 1u);
  it->Next();
  it->Next();
  EXPECT_EQ(it->value(), "5");
  EXPECT_EQ(receipt.tables_considered, 2u);
}

TEST(RunIterator, AFailedReadStaysAnErrorAndNextTablesAreNotTried) {
  Tables t;
  auto it = NewRunIterator(t.maker.order(), t.tables);
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  t.fault = true;
  while (it->Valid()) it->Next();
  EXPECT_EQ(it->status().code(), absl::StatusCode::kUnavailable);
  t.fault = false;
  it->SeekToFirst();
  EXPECT_TRUE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

}  // namespace
}  // namespace siltstone::read_test
