#include "sstable/block_cache_shard.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "base/check.h"
#include "base/epoch.h"
#include "base/hash.h"

namespace siltstone {

namespace {

constexpr uint8_t kMaxUseMark = 3;
// A block of the small queue that was used this often is kept.
constexpr uint8_t kKeepUseMark = 2;
constexpr size_t kSmallShareDivisor = 10;
constexpr size_t kMinBuckets = 8;
constexpr size_t kBlocksPerBucket = 2;
// How many used blocks one eviction passes over, so that a lock is not held for a round of the queue.
constexpr int kMaxPassedOver = 64;

}  // namespace

struct BlockCacheShard::Buckets {
  explicit Buckets(size_t count)
      : mask(count - 1), heads(std::make_unique<std::atomic<Block*>[]>(count)) {}

  std::atomic<Block*>& Head(uint64_t hash) const { return heads[hash & mask]; }

  const size_t mask;
  const std::unique_ptr<std::atomic<Block*>[]> heads;
};

uint64_t HashBlockPlace(uint64_t table_uid, uint64_t offset) {
  return Remix(table_uid * 0x9e3779b97f4a7c15 + offset);
}

BlockCacheShard::BlockCacheShard(size_t capacity_bytes, size_t expected_block_bytes)
    : expected_block_bytes_(std::max<size_t>(expected_block_bytes, 1)),
      capacity_bytes_(capacity_bytes) {}

BlockCacheShard::~BlockCacheShard() {
  for (const Queue& queue : {small_, main_}) {
    for (Block* block = queue.oldest; block != nullptr;) {
      Block* const newer = block->queue_newer_;
      block->Unref();
      block = newer;
    }
  }
  delete buckets_.load(std::memory_order_relaxed);
}

size_t BlockCacheShard::BookkeepingBytes(size_t bucket_count) {
  return sizeof(Buckets) + bucket_count * (sizeof(std::atomic<Block*>) + sizeof(Ghost));
}

const Block* BlockCacheShard::Lookup(uint64_t hash, uint64_t table_uid, uint64_t offset) const {
  SILTSTONE_DCHECK(EpochGuard::IsHeld());
  const Buckets* const buckets = buckets_.load(std::memory_order_acquire);
  if (buckets == nullptr) return nullptr;
  for (Block* block = buckets->Head(hash).load(std::memory_order_acquire); block != nullptr;
       block = block->chain_next_.load(std::memory_order_acquire)) {
    if (block->offset_ != offset || block->table_uid_ != table_uid) continue;
    const uint8_t mark = block->use_mark_.load(std::memory_order_relaxed);
    if (mark < kMaxUseMark) block->use_mark_.store(mark + 1, std::memory_order_relaxed);
    return block;
  }
  return nullptr;
}

void BlockCacheShard::Insert(uint64_t hash, uint64_t table_uid, uint64_t offset, Block* block) {
  SILTSTONE_CHECK(!block->cached_before_);
  const size_t charge = block->memory_bytes();
  Block* evicted = nullptr;
  Buckets* retired = nullptr;
  {
    EpochGuard guard;  // for the Lookup
    MutexLock lock(mutex_);
    if (charge > capacity_bytes_ || Lookup(hash, table_uid, offset) != nullptr) return;
    const Buckets* const buckets = buckets_.load(std::memory_order_relaxed);
    const size_t present = buckets == nullptr ? 0 : buckets->mask + 1;
    size_t wanted = present;
    if (present == 0) {
      wanted = std::bit_ceil(std::max(kMinBuckets, capacity_bytes_ / expected_block_bytes_));
      while (wanted > kMinBuckets && BookkeepingBytes(wanted) > capacity_bytes_ / 8) wanted /= 2;
    } else if (block_count() >= present * kBlocksPerBucket) {
      wanted = present * 2;
    }
    const size_t growth = wanted == present ? 0
                                            : BookkeepingBytes(wanted) -
                                                  (present == 0 ? 0 : BookkeepingBytes(present));
    if (charge + BookkeepingBytes(wanted) <= capacity_bytes_ &&
        MakeRoom(charge + growth, &evicted)) {
      if (wanted != present) Rebuild(wanted, &retired);
      block->Ref();
      block->cached_before_ = true;
      block->table_uid_ = table_uid;
      block->offset_ = offset;
      block->in_main_queue_ = Recall(hash);
      Push(block->in_main_queue_ ? main_ : small_, block);
      AddUsage(charge);
      block_count_.store(block_count() + 1, std::memory_order_relaxed);
      Link(block, hash);
    }
  }
  Retire(evicted, retired);
}

void BlockCacheShard::EraseTable(uint64_t table_uid) {
  Block* evicted = nullptr;
  {
    MutexLock lock(mutex_);
    for (Queue* queue : {&small_, &main_}) {
      for (Block* block = queue->oldest; block != nullptr;) {
        Block* const newer = block->queue_newer_;
        if (block->table_uid_ == table_uid) Remove(block, &evicted);
        block = newer;
      }
    }
  }
  Retire(evicted, nullptr);
}

void BlockCacheShard::SetCapacity(size_t capacity_bytes) {
  Block* evicted = nullptr;
  Buckets* retired = nullptr;
  {
    MutexLock lock(mutex_);
    capacity_bytes_ = capacity_bytes;
    if (!MakeRoom(0, &evicted)) {
      // No block is left: the buckets themselves are too large.
      retired = buckets_.exchange(nullptr, std::memory_order_acq_rel);
      std::vector<Ghost>().swap(ghosts_);
      SubtractUsage(usage_bytes());
    }
  }
  Retire(evicted, retired);
}

bool BlockCacheShard::MakeRoom(size_t wanted_bytes, Block** evicted) {
  while (usage_bytes() + wanted_bytes > capacity_bytes_) {
    const bool small_first =
        small_.size_bytes > capacity_bytes_ / kSmallShareDivisor || main_.oldest == nullptr;
    const bool done = small_first ? EvictFromSmall(evicted) || EvictFromMain(evicted)
                                  : EvictFromMain(evicted) || EvictFromSmall(evicted);
    if (!done) return false;
  }
  return true;
}

bool BlockCacheShard::EvictFromSmall(Block** evicted) {
  while (Block* const block = small_.oldest) {
    if (block->use_mark_.load(std::memory_order_relaxed) < kKeepUseMark) {
      Remember(HashBlockPlace(block->table_uid_, block->offset_));
      Remove(block, evicted);
      return true;
    }
    block->use_mark_.store(0, std::memory_order_relaxed);
    Take(small_, block);
    block->in_main_queue_ = true;
    Push(main_, block);
  }
  return false;
}

bool BlockCacheShard::EvictFromMain(Block** evicted) {
  for (int passed_over = 0; Block* const block = main_.oldest; ++passed_over) {
    const uint8_t mark = block->use_mark_.load(std::memory_order_relaxed);
    if (mark == 0 || passed_over == kMaxPassedOver) {
      Remove(block, evicted);
      return true;
    }
    block->use_mark_.store(mark - 1, std::memory_order_relaxed);
    Take(main_, block);
    Push(main_, block);
  }
  return false;
}

void BlockCacheShard::Remove(Block* block, Block** evicted) {
  Unlink(block, HashBlockPlace(block->table_uid_, block->offset_));
  Take(block->in_main_queue_ ? main_ : small_, block);
  SubtractUsage(block->memory_bytes());
  SILTSTONE_DCHECK(block_count() != 0);
  block_count_.store(block_count() - 1, std::memory_order_relaxed);
  // The queue's link is free now; readers look at the chain's only.
  block->queue_older_ = *evicted;
  *evicted = block;
}

void BlockCacheShard::Rebuild(size_t bucket_count, Buckets** retired) {
  SILTSTONE_DCHECK(std::has_single_bit(bucket_count));
  Buckets* const old = buckets_.load(std::memory_order_relaxed);
  AddUsage(BookkeepingBytes(bucket_count));
  if (old != nullptr) SubtractUsage(BookkeepingBytes(old->mask + 1));
  buckets_.store(new Buckets(bucket_count), std::memory_order_release);
  for (const Queue& queue : {small_, main_}) {
    for (Block* block = queue.oldest; block != nullptr; block = block->queue_newer_) {
      Link(block, HashBlockPlace(block->table_uid_, block->offset_));
    }
  }
  ghosts_.assign(bucket_count, Ghost());
  *retired = old;
}

void BlockCacheShard::Link(Block* block, uint64_t hash) {
  std::atomic<Block*>& head = buckets_.load(std::memory_order_relaxed)->Head(hash);
  block->chain_next_.store(head.load(std::memory_order_relaxed), std::memory_order_release);
  head.store(block, std::memory_order_release);
}

void BlockCacheShard::Unlink(Block* block, uint64_t hash) {
  std::atomic<Block*>* link = &buckets_.load(std::memory_order_relaxed)->Head(hash);
  for (Block* next; (next = link->load(std::memory_order_relaxed)) != block;) {
    SILTSTONE_CHECK(next != nullptr);
    link = &next->chain_next_;
  }
  link->store(block->chain_next_.load(std::memory_order_relaxed), std::memory_order_release);
}

void BlockCacheShard::Push(Queue& queue, Block* block) {
  block->queue_older_ = queue.newest;
  block->queue_newer_ = nullptr;
  (queue.newest == nullptr ? queue.oldest : queue.newest->queue_newer_) = block;
  queue.newest = block;
  queue.size_bytes += block->memory_bytes();
}

void BlockCacheShard::Take(Queue& queue, Block* block) {
  (block->queue_older_ == nullptr ? queue.oldest : block->queue_older_->queue_newer_) =
      block->queue_newer_;
  (block->queue_newer_ == nullptr ? queue.newest : block->queue_newer_->queue_older_) =
      block->queue_older_;
  SILTSTONE_DCHECK(queue.size_bytes >= block->memory_bytes());
  queue.size_bytes -= block->memory_bytes();
}

void BlockCacheShard::Remember(uint64_t hash) {
  if (++ghost_clock_ == 0) ++ghost_clock_;
  ghosts_[hash & (ghosts_.size() - 1)] = {static_cast<uint32_t>(hash >> 32), ghost_clock_};
}

bool BlockCacheShard::Recall(uint64_t hash) {
  Ghost& ghost = ghosts_[hash & (ghosts_.size() - 1)];
  if (ghost.stamp == 0 || ghost.fingerprint != static_cast<uint32_t>(hash >> 32)) return false;
  const bool recent = ghost_clock_ - ghost.stamp <= std::max(block_count(), kMinBuckets);
  ghost = Ghost();
  return recent;
}

void BlockCacheShard::Retire(Block* evicted, Buckets* buckets) {
  while (evicted != nullptr) {
    Block* const next = evicted->queue_older_;
    EpochRetire(evicted, [](void* block) { static_cast<Block*>(block)->Unref(); });
    evicted = next;
  }
  if (buckets != nullptr) {
    EpochRetire(buckets, [](void* old) { delete static_cast<Buckets*>(old); });
  }
}

void BlockCacheShard::AddUsage(size_t bytes) {
  usage_bytes_.store(usage_bytes() + bytes, std::memory_order_relaxed);
}

void BlockCacheShard::SubtractUsage(size_t bytes) {
  SILTSTONE_DCHECK(usage_bytes() >= bytes);
  usage_bytes_.store(usage_bytes() - bytes, std::memory_order_relaxed);
}

}  // namespace siltstone
