#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/sstable/table_test_support.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

void ExpectAt(const InternalIterator& it, const Entries& entries, Entries::const_iterator want) {
  ASSERT_TRUE(it.status().ok()) << it.status();
  ASSERT_EQ(it.Valid(), want != entries.end());
  if (want == entries.end()) return;
  ASSERT_EQ(it.key(), want->first);
  ASSERT_EQ(it.value(), want->second);
}

Entries::const_iterator AtOrBefore(const Entries& entries, const std::string& key) {
  auto it = entries.upper_bound(key);
  return it == entries.begin() ? entries.end() : std::prev(it);
}

std::string RandomTarget(const Entries& entries, std::mt19937_64& random) {
  auto it = entries.begin();
  std::advance(it, random() % entries.size());
  std::string user_key(ExtractUserKey(it->first));
  switch (random() % 5) {
    case 0:
      return it->first;
    case 1:
      return MakeInternalKey(user_key, SeekTrailer(random() % 2000));
    case 2:
      user_key.push_back(static_cast<char>(random()));
      break;
    case 3:
      if (!user_key.empty()) user_key.pop_back();
      break;
    default:
      if (!user_key.empty()) user_key[random() % user_key.size()] = static_cast<char>(random());
  }
  return MakeInternalKey(user_key, SeekTrailer(kMaxSequenceNumber));
}

class TableIteratorWalk : public testing::TestWithParam<std::tuple<size_t, bool, bool>> {};

TEST_P(TableIteratorWalk, StepsAsTheModelDoes) {
  const auto& [block_size, backward, cached] = GetParam();
  static const BackwardComparator kBackward;
  const KeyOrder order(backward ? static_cast<const Comparator*>(&kBackward)
                                : BytewiseComparator());
  const uint64_t seed = TestSeed();
  std::mt19937_64 random(seed);
  const Entries entries = RandomEntries(seed, 400, order);
  TableWriterOptions writer = WriterOptionsForTest(order);
  writer.block_size_bytes = block_size;
  writer.compression = Compression::kLz4;
  BlockCache cache(cached ? 16 << 10 : 0, 512);
  TableReaderOptions reader = ReaderOptionsForTest(order);
  reader.block_cache = &cache;
  const OpenedTable table = OpenTable(BuildTable(entries, writer).bytes, reader);
  ASSERT_TRUE(table.reader.ok()) << table.reader.status();

  const auto it = table->NewIterator(true, nullptr);
  EXPECT_FALSE(it->Valid());
  auto want = entries.end();
  for (int step = 0; step < 6000; ++step) {
    const uint64_t move = random() % 40;
    if (move == 0) {
      it->SeekToFirst();
      want = entries.begin();
    } else if (move == 1) {
      it->SeekToLast();
      want = std::prev(entries.end());
    } else if (move < 5 || want == entries.end()) {
      const std::string target = RandomTarget(entries, random);
      if (random() % 2 == 0) {
        it->Seek(target);
        want = entries.lower_bound(target);
      } else {
        it->SeekForPrev(target);
        want = AtOrBefore(entries, target);
      }
    } else if (move % 2 == 0) {
      it->Next();
      ++want;
    } else {
      it->Prev();
      want = want == entries.begin() ? entries.end() : std::prev(want);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectAt(*it, entries, want)) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TableIteratorWalk,
                         testing::Combine(testing::Values(size_t{1}, size_t{256}, size_t{2000}),
                                          testing::Bool(), testing::Bool()));

TEST(TableIterator, WalksBackwardsOverEverything) {
  const Entries entries = RandomEntries(2, 300, KeyOrder(BytewiseComparator()));
  const OpenedTable table = OpenTable(BuildTable(entries).bytes);
  const auto it = table->NewIterator(true, nullptr);
  auto want = entries.rbegin();
  for (it->SeekToLast(); it->Valid(); it->Prev(), ++want) {
    ASSERT_EQ(it->key(), want->first);
  }
  EXPECT_TRUE(want == entries.rend());
  EXPECT_TRUE(it->status().ok());
}

TEST(TableIterator, ReadsAheadOnAForwardWalkAndReportsItsCost) {
  Entries entries;
  for (int i = 0; i < 4000; ++i) {
    entries[MakeInternalKey("key" + std::to_string(10000 + i), PackTrailer(1, ValueType::kValue))] =
        std::string(100, 'v');
  }
  TableWriterOptions writer = WriterOptionsForTest();
  writer.block_size_bytes = 4096;
  const OpenedTable table = OpenTable(BuildTable(entries, writer).bytes);
  const int before = *table.reads;
  ReadReceipt receipt;
  const auto it = table->NewIterator(false, &receipt);
  size_t count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  EXPECT_EQ(count, entries.size());
  EXPECT_EQ(receipt.data_blocks_from_file, table->properties().data_blocks);
  EXPECT_GT(receipt.bytes_from_file, 400000u);
  EXPECT_LT(*table.reads - before, 12);
}

TEST(TableIterator, KeepsItsBlockWhenTheCacheDropsIt) {
  const Entries entries = RandomEntries(7, 300, KeyOrder(BytewiseComparator()));
  BlockCache cache(1 << 20, 512);
  TableReaderOptions reader = ReaderOptionsForTest();
  reader.block_cache = &cache;
  const OpenedTable table = OpenTable(BuildTable(entries).bytes, reader);
  const auto it = table->NewIterator(true, nullptr);
  it->SeekToFirst();
  cache.SetCapacity(0);
  EpochCollect();
  EXPECT_EQ(cache.usage_bytes(), 0u);
  EXPECT_EQ(it->key(), entries.begin()->first);
  EXPECT_EQ(it->value(), entries.begin()->second);
}

}  // namespace
}  // namespace siltstone
