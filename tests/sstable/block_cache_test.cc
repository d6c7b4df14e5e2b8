#include "sstable/block_cache.h"

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/epoch.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// A valid block of about `size_bytes` whose first entry bytes say where it belongs.
Block* MakeBlock(uint64_t uid, uint64_t offset, size_t size_bytes) {
  Block* const block = Block::Create(size_bytes);
  std::memset(block->mutable_bytes(), 0, size_bytes);
  std::memcpy(block->mutable_bytes(), &uid, 8);
  std::memcpy(block->mutable_bytes() + 8, &offset, 8);
  const uint32_t restart_count = 1;
  std::memcpy(block->mutable_bytes() + size_bytes - 4, &restart_count, 4);
  EXPECT_TRUE(block->Seal(size_bytes).ok());
  return block;
}

bool IsBlockOf(const Block& block, uint64_t uid, uint64_t offset) {
  return std::memcmp(block.bytes(), &uid, 8) == 0 &&
         std::memcmp(block.bytes() + 8, &offset, 8) == 0;
}

// A read through the cache; true for a hit.
bool ReadThrough(BlockCache& cache, uint64_t uid, uint64_t offset, size_t size_bytes) {
  EpochGuard guard;
  if (const Block* block = cache.Lookup(uid, offset)) {
    EXPECT_TRUE(IsBlockOf(*block, uid, offset));
    return true;
  }
  Block* const block = MakeBlock(uid, offset, size_bytes);
  cache.Insert(uid, offset, block);
  block->Unref();
  return false;
}

bool Has(const BlockCache& cache, uint64_t uid, uint64_t offset) {
  EpochGuard guard;
  return cache.Lookup(uid, offset) != nullptr;
}

TEST(BlockCache, FindsWhatWasInsertedByTableAndOffset) {
  BlockCache cache(1 << 20, 4096);
  EXPECT_FALSE(ReadThrough(cache, 1, 0, 4096));
  EXPECT_TRUE(ReadThrough(cache, 1, 0, 4096));
  EXPECT_FALSE(Has(cache, 2, 0));
  EXPECT_FALSE(Has(cache, 1, 4096));
}

TEST(BlockCache, KeepsWithinItsCapacityAtEverySize) {
  std::mt19937_64 random(TestSeed());
  for (const size_t capacity : {size_t{0}, size_t{1}, size_t{300}, size_t{5000}, size_t{64} << 10,
                                size_t{1} << 20, size_t{8} << 20}) {
    BlockCache cache(capacity, 4096);
    for (int i = 0; i < 3000; ++i) {
      ReadThrough(cache, 1, random() % 2000, random() % 50 == 0 ? 100000 : 20 + random() % 6000);
      ASSERT_LE(cache.usage_bytes(), capacity);
    }
    EXPECT_GE(cache.usage_bytes(), capacity >= 64 << 10 ? capacity / 2 : 0);
    EXPECT_LE(cache.usage_bytes(), capacity <= 1 ? 0 : capacity);
  }
}

TEST(BlockCache, TinyBlocksGrowTheBucketsAndStayFindable) {
  BlockCache cache(1 << 20, 4096);
  for (uint64_t i = 0; i < 3000; ++i) ReadThrough(cache, 1, i, 64);
  EXPECT_EQ(cache.block_count(), 3000u);
  for (uint64_t i = 0; i < 3000; ++i) ASSERT_TRUE(Has(cache, 1, i));
  EXPECT_LE(cache.usage_bytes(), size_t{1} << 20);
}

TEST(BlockCache, ABlockLargerThanItsShareIsNotKept) {
  BlockCache cache(64 << 10, 4096);
  ReadThrough(cache, 1, 0, 4096);
  EXPECT_FALSE(ReadThrough(cache, 1, 7, 64 << 10));
  EXPECT_FALSE(Has(cache, 1, 7));
  EXPECT_TRUE(Has(cache, 1, 0));
}

class ScanResistance : public testing::TestWithParam<size_t> {};

TEST_P(ScanResistance, HotBlocksSurviveALongScan) {
  const size_t capacity = GetParam();
  BlockCache cache(capacity, 4096);
  const uint64_t hot = capacity / 4096 / 4;
  for (int round = 0; round < 8; ++round) {
    for (uint64_t i = 0; i < hot; ++i) ReadThrough(cache, 1, i, 4096);
  }
  for (uint64_t i = 0; i < 20 * capacity / 4096; ++i) ReadThrough(cache, 2, i, 4096);
  uint64_t survived = 0;
  for (uint64_t i = 0; i < hot; ++i) survived += Has(cache, 1, i) ? 1 : 0;
  EXPECT_EQ(survived, hot);
}

INSTANTIATE_TEST_SUITE_P(Capacities, ScanResistance,
                         testing::Values(size_t{64} << 10, size_t{1} << 20, size_t{16} << 20));

TEST(BlockCache, ABlockThatComesBackSoonIsKept) {
  BlockCache cache(64 << 10, 4096);
  for (uint64_t i = 0; i < 20; ++i) ReadThrough(cache, 1, i, 4096);
  ASSERT_FALSE(Has(cache, 1, 0));
  ReadThrough(cache, 1, 0, 4096);  // remembered: goes to the main queue
  for (uint64_t i = 100; i < 200; ++i) ReadThrough(cache, 1, i, 4096);
  EXPECT_TRUE(Has(cache, 1, 0));
}

TEST(BlockCache, EraseTableDropsTheBlocksOfThatTableOnly) {
  BlockCache cache(1 << 20, 4096);
  for (uint64_t i = 0; i < 20; ++i) {
    ReadThrough(cache, 1, i, 1000);
    ReadThrough(cache, 2, i, 1000);
  }
  cache.EraseTable(1);
  EXPECT_EQ(cache.block_count(), 20u);
  for (uint64_t i = 0; i < 20; ++i) {
    EXPECT_FALSE(Has(cache, 1, i));
    EXPECT_TRUE(Has(cache, 2, i));
  }
}

TEST(BlockCache, SetCapacityEvictsAtOnceAndCanGrowAgain) {
  BlockCache cache(1 << 20, 4096);
  for (uint64_t i = 0; i < 200; ++i) ReadThrough(cache, 1, i, 4096);
  cache.SetCapacity(200 << 10);
  EXPECT_LE(cache.usage_bytes(), size_t{200} << 10);
  EXPECT_GT(cache.block_count(), 0u);
  cache.SetCapacity(0);
  EXPECT_EQ(cache.usage_bytes(), 0u);
  EXPECT_FALSE(ReadThrough(cache, 1, 3, 4096));
  EXPECT_FALSE(Has(cache, 1, 3));
  cache.SetCapacity(1 << 20);
  ReadThrough(cache, 1, 3, 4096);
  EXPECT_TRUE(Has(cache, 1, 3));
}

TEST(BlockCache, ABlockOutlivesItsEvictionUnderTheGuard) {
  BlockCache cache(1 << 20, 4096);
  ReadThrough(cache, 1, 5, 4096);
  EpochGuard guard;
  const Block* const block = cache.Lookup(1, 5);
  ASSERT_NE(block, nullptr);
  cache.SetCapacity(0);
  EpochCollect();
  EXPECT_TRUE(IsBlockOf(*block, 1, 5));
}

TEST(BlockCacheThreads, LookUpInsertEvictAndResizeSideBySide) {
  const uint64_t seed = TestSeed();
  BlockCache cache(256 << 10, 512);
  std::atomic<uint64_t> hits{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, &hits, seed, t] {
      std::mt19937_64 random(seed * 10 + t);
      for (int i = 0; i < 12000; ++i) {
        // Half of the reads go to a few hot blocks.
        const uint64_t offset = random() % 2 == 0 ? random() % 50 : random() % 5000;
        if (ReadThrough(cache, 1 + offset % 3, offset, 100 + offset % 900)) ++hits;
        if (t == 0 && i % 500 == 0) cache.SetCapacity((random() % 512) << 10);
        if (t == 1 && i % 700 == 0) cache.EraseTable(2);
        if (i % 100 == 0) {
          EpochGuard guard;
          const Block* block = cache.Lookup(1 + offset % 3, offset);
          if (block != nullptr) {
            block->Ref();
            EXPECT_TRUE(IsBlockOf(*block, 1 + offset % 3, offset));
            block->Unref();
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  cache.SetCapacity(256 << 10);
  EXPECT_LE(cache.usage_bytes(), size_t{256} << 10);
  EXPECT_GT(hits.load(), 1000u);
}

}  // namespace
}  // namespace siltstone
