#include "sstable/block_cache.h"

#include <algorithm>

#include "sstable/block_cache_shard.h"

namespace siltstone {

namespace {

constexpr size_t kMaxShards = 16;
// A shard is to hold this many blocks at least, or there are fewer shards.
constexpr size_t kBlocksPerShard = 32;

size_t ChooseShardCount(size_t capacity_bytes, size_t expected_block_bytes) {
  size_t count = kMaxShards;
  while (count > 1 &&
         capacity_bytes / count / kBlocksPerShard < std::max<size_t>(expected_block_bytes, 1)) {
    count /= 2;
  }
  return count;
}

}  // namespace

BlockCache::BlockCache(size_t capacity_bytes, size_t expected_block_bytes) {
  const size_t count = ChooseShardCount(capacity_bytes, expected_block_bytes);
  for (size_t i = 0; i < count; ++i) {
    shards_.push_back(
        std::make_unique<BlockCacheShard>(capacity_bytes / count, expected_block_bytes));
  }
}

BlockCache::~BlockCache() = default;

BlockCacheShard& BlockCache::ShardOf(uint64_t hash) const {
  return *shards_[(hash >> 60) & (shards_.size() - 1)];
}

const Block* BlockCache::Lookup(uint64_t table_uid, uint64_t offset) const {
  const uint64_t hash = HashBlockPlace(table_uid, offset);
  return ShardOf(hash).Lookup(hash, table_uid, offset);
}

void BlockCache::Insert(uint64_t table_uid, uint64_t offset, Block* block) {
  const uint64_t hash = HashBlockPlace(table_uid, offset);
  ShardOf(hash).Insert(hash, table_uid, offset, block);
}

void BlockCache::EraseTable(uint64_t table_uid) {
  for (const auto& shard : shards_) shard->EraseTable(table_uid);
}

void BlockCache::SetCapacity(size_t capacity_bytes) {
  for (const auto& shard : shards_) shard->SetCapacity(capacity_bytes / shards_.size());
}

size_t BlockCache::usage_bytes() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->usage_bytes();
  return sum;
}

size_t BlockCache::block_count() const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->block_count();
  return sum;
}

}  // namespace siltstone
