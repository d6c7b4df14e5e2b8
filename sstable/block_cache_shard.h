#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "base/mutex.h"
#include "base/thread_slot.h"
#include "sstable/block.h"

namespace siltstone {

// One part of the block cache, with a lock of its own for all that changes it.
//
// Invariants:
//   I1. A block is in exactly one bucket chain and one queue, or in none.
//   I2. A chain may be walked without the lock, under an EpochGuard: a block is published with a release
//       store after its links are set, and reclaimed through EpochRetire after it is unlinked. While buckets
//       are rebuilt a walk may miss a block, which costs a read of the file.
//   I3. usage_bytes() is what the blocks, the buckets and the remembered hashes take.
// Thread safety: thread-safe.
class BlockCacheShard {
 public:
  BlockCacheShard(size_t capacity_bytes, size_t expected_block_bytes);
  // REQUIRES: no Lookup is under way.
  ~BlockCacheShard();
  BlockCacheShard(const BlockCacheShard&) = delete;
  BlockCacheShard& operator=(const BlockCacheShard&) = delete;

  // REQUIRES: the caller holds an EpochGuard.
  const Block* Lookup(uint64_t hash, uint64_t table_uid, uint64_t offset) const;
  void Insert(uint64_t hash, uint64_t table_uid, uint64_t offset, Block* block)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void EraseTable(uint64_t table_uid) ABSL_LOCKS_EXCLUDED(mutex_);
  void SetCapacity(size_t capacity_bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t usage_bytes() const { return usage_bytes_.load(std::memory_order_relaxed); }
  size_t block_count() const { return block_count_.load(std::memory_order_relaxed); }

 private:
  struct Buckets;
  struct Queue {
    Block* oldest = nullptr;
    Block* newest = nullptr;
    size_t size_bytes = 0;
  };
  // A hash that is remembered; stamp 0: none.
  struct Ghost {
    uint32_t fingerprint = 0;
    uint32_t stamp = 0;
  };

  static size_t BookkeepingBytes(size_t bucket_count);
  bool MakeRoom(size_t wanted_bytes, Block** evicted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool EvictFromSmall(Block** evicted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool EvictFromMain(Block** evicted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(Block* block, Block** evicted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Rebuild(size_t bucket_count, Buckets** retired) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Link(Block* block, uint64_t hash) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unlink(Block* block, uint64_t hash) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Push(Queue& queue, Block* block) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Take(Queue& queue, Block* block) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remember(uint64_t hash) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // True once for a hash that is remembered.
  bool Recall(uint64_t hash) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Retire(Block* evicted, Buckets* buckets);
  void AddUsage(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SubtractUsage(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Read by every look-up and hardly ever written: on a cache line of its own.
  alignas(kCacheLineBytes) std::atomic<Buckets*> buckets_{nullptr};

  alignas(kCacheLineBytes) Mutex mutex_;
  const size_t expected_block_bytes_;
  size_t capacity_bytes_ ABSL_GUARDED_BY(mutex_);
  Queue small_ ABSL_GUARDED_BY(mutex_);
  Queue main_ ABSL_GUARDED_BY(mutex_);
  std::vector<Ghost> ghosts_ ABSL_GUARDED_BY(mutex_);  // as many as buckets
  uint32_t ghost_clock_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> usage_bytes_{0};  // written under mutex_
  std::atomic<size_t> block_count_{0};  // written under mutex_
};

// The hash of a block's place: its low bits choose the bucket, its high ones the shard.
uint64_t HashBlockPlace(uint64_t table_uid, uint64_t offset);

}  // namespace siltstone
