#include "engine/read/view_iterator.h"

#include <random>

#include <gtest/gtest.h>

#include "engine/read/db_iterator.h"
#include "tests/read/view_fixture.h"

namespace siltstone::read_test {
namespace {

std::unique_ptr<Iterator> Scan(const ReadView& view, DbIteratorOptions options) {
  options.source_cost = std::make_unique<ReadReceipt>();
  options.source = NewViewIterator(view, options.order,
                                   {.fill_cache = true, .receipt = options.source_cost.get()});
  return NewDbIterator(std::move(options));
}

TEST(ViewIterator, ScansMatchAModelBothWaysFromEverywhereAtEverySnapshot) {
  std::mt19937_64 random(TestSeed(7));
  for (int round = 0; round < 30; ++round) {
    BlockCache cache(1 << 16, 256);
    TableMaker maker(
        {.order = KeyOrder(round % 4 == 0 ? ReverseComparator() : BytewiseComparator()),
         .cache = round % 3 == 0 ? nullptr : &cache});
    const RandomHistory history(random, maker);
    const SequenceNumber snapshot =
        random() % 2 == 0 ? kMaxSequenceNumber : random() % (history.last_sequence + 1);
    const auto expected = history.model.Visible(snapshot);
    auto it = Scan(*history.view, {.order = maker.order(), .sequence = snapshot});
    size_t at = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
      ASSERT_LT(at, expected.size());
      ASSERT_EQ(it->key(), expected[at].first);
      ASSERT_EQ(it->value(), expected[at].second);
    }
    ASSERT_TRUE(it->status().ok());
    ASSERT_EQ(at, expected.size());
    for (it->SeekToLast(); it->Valid(); it->Prev()) ASSERT_EQ(it->key(), expected[--at].first);
    ASSERT_TRUE(it->status().ok());
    ASSERT_EQ(at, 0u);
    if (expected.empty()) continue;
    // A walk to and fro from random keys.
    for (int walk = 0; walk < 50; ++walk) {
      at = random() % expected.size();
      random() % 2 == 0 ? it->Seek(expected[at].first) : it->SeekForPrev(expected[at].first);
      for (int step = 0; step < 12 && at < expected.size(); ++step) {
        ASSERT_TRUE(it->Valid());
        ASSERT_EQ(it->key(), expected[at].first);
        ASSERT_EQ(it->value(), expected[at].second);
        if (random() % 2 == 0) {
          it->Next();
          ++at;
        } else {
          it->Prev();
          at = at == 0 ? expected.size() : at - 1;
        }
      }
    }
  }
}

TEST(ViewIterator, CountsWhatAScanReads) {
  std::mt19937_64 random(TestSeed(8));
  BlockCache cache(1 << 20, 256);
  TableMaker maker({.cache = &cache});
  const RandomHistory history(random, maker);
  EngineCounters counters;
  ReadReceipt receipt;
  auto it =
      Scan(*history.view, {.order = maker.order(), .counters = &counters, .receipt = &receipt});
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
  }
  EXPECT_EQ(receipt.memtables_considered, 1 + history.view->immutables.size());
  EXPECT_EQ(receipt.tables_considered, history.tables.size());
  EXPECT_GE(receipt.data_blocks_from_file, history.tables.size());
  EXPECT_EQ(receipt.data_blocks_from_file, counters.Sum(kBlocksRead));
  const uint64_t blocks = receipt.data_blocks_from_file;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
  }
  EXPECT_EQ(receipt.data_blocks_from_file, blocks);
  EXPECT_GE(receipt.data_blocks_from_cache, blocks);
}

TEST(ViewIterator, AFailedReadIsNotTheEnd) {
  std::mt19937_64 random(TestSeed(9));
  TableMaker maker({});
  ReadFault fault = false;
  const RandomHistory history(random, maker, &fault);
  auto it = Scan(*history.view, {.order = maker.order()});
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  fault = true;
  while (it->Valid()) it->Next();
  EXPECT_EQ(it->status().code(), absl::StatusCode::kUnavailable);
  fault = false;
  it->SeekToLast();
  EXPECT_TRUE(it->Valid());
  fault = true;
  while (it->Valid()) it->Prev();
  EXPECT_EQ(it->status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace siltstone::read_test
