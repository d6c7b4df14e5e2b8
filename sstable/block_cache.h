#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sstable/block.h"

namespace siltstone {

class BlockCacheShard;

// Keeps data blocks, uncompressed, up to a number of bytes.
//
//   EpochGuard guard;
//   const Block* block = cache.Lookup(table_uid, offset);   // good while the guard lives
//
// Which blocks it keeps is decided as in "FIFO queues are all you need for cache eviction" (Yang et al., SOSP
// 2023): a new block enters a small queue and leaves the cache from there, unless it was used again; then it
// moves to the main queue, from where it leaves only after a whole round without use. The hashes of blocks
// that left the small queue are remembered for a while: one that comes back goes to the main queue. So a
// scan, however long, passes through the small queue.
//
// Invariants:
//   I1. usage_bytes() is at most the capacity: blocks, their heads, buckets and remembered hashes.
//   I2. A block that was looked up stays as long as the guard it was looked up under; whoever needs it for
//       longer takes a reference (Block::Ref) under that guard.
//   I3. A block larger than a shard's share of the capacity is not kept.
// Thread safety: thread-safe; the destructor needs all look-ups to be over.
// Cost: Lookup takes no lock and writes nothing shared, but a block's use mark while that still changes.
// Insert takes a shard's lock and evicts as much as it adds.
class BlockCache {
 public:
  // `expected_block_bytes`: about the size of a block, to size the buckets by; they grow if it is wrong.
  BlockCache(size_t capacity_bytes, size_t expected_block_bytes);
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // Null where it is not there. REQUIRES: the caller holds an EpochGuard.
  const Block* Lookup(uint64_t table_uid, uint64_t offset) const;

  // Takes a reference of its own when it keeps the block; keeps it unless it is too large or there already.
  // REQUIRES: the block was never in a cache.
  void Insert(uint64_t table_uid, uint64_t offset, Block* block);

  // Drops the blocks of a table. Not needed for correctness (uids are not used twice): it makes room.
  // Cost: a walk over the whole cache.
  void EraseTable(uint64_t table_uid);

  // Evicts at once what is too much.
  void SetCapacity(size_t capacity_bytes);

  size_t usage_bytes() const;
  size_t block_count() const;

 private:
  BlockCacheShard& ShardOf(uint64_t hash) const;

  std::vector<std::unique_ptr<BlockCacheShard>> shards_;  // a power of two
};

}  // namespace siltstone
