#include "base/epoch.h"

#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "base/mutex.h"

namespace siltstone {

namespace epoch_internal {

constinit Slot first_slots[kFirstSlots];
constinit std::atomic<uint64_t> epoch{1};

namespace {

// Slots of further threads, in blocks that are never freed (a slot may be looked at for ever).
constexpr size_t kBlockSlots = 64;
constexpr size_t kBlocks = 4096;  // 262,144 threads at the same time

struct Block {
  Slot slots[kBlockSlots];
};

constinit std::atomic<Block*> blocks[kBlocks];
// No block at or above this index is in use. Only grows.
constinit std::atomic<size_t> block_limit{0};

// Between two collections that Retire starts by itself.
constexpr size_t kRetiresBetweenCollections = 64;

struct Retired {
  void* object;
  void (*reclaim)(void*);
  uint64_t tag;
};

// The oldest epoch that a guard is held at; the greatest number when none is held. See I2 for why
// this is a read-modify-write.
uint64_t OldestPinned(uint64_t oldest, Slot& slot) {
  const uint64_t pinned = slot.pinned_epoch.fetch_add(0, std::memory_order_seq_cst);
  return pinned != 0 && pinned < oldest ? pinned : oldest;
}

uint64_t FindOldestPinned() {
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (Slot& slot : first_slots) oldest = OldestPinned(oldest, slot);
  // Limit and pointers are looked at by read-modify-write as well: a limit raised later, or a block
  // that appears later, belongs to readers that see what was unlinked before this look.
  const size_t limit = block_limit.fetch_add(0, std::memory_order_seq_cst);
  for (size_t i = 0; i < limit; ++i) {
    Block* block = blocks[i].fetch_add(0, std::memory_order_seq_cst);
    if (block == nullptr) continue;
    for (Slot& slot : block->slots) oldest = OldestPinned(oldest, slot);
  }
  return oldest;
}

class Domain {
 public:
  // True when it is time to collect.
  bool Add(void* object, void (*reclaim)(void*)) {
    MutexLock lock(mutex_);
    retired_.push_back({object, reclaim, epoch.load(std::memory_order_relaxed)});
    return ++retired_since_collection_ >= kRetiresBetweenCollections;
  }

  std::vector<Retired> TakeReclaimable() {
    MutexLock lock(mutex_);
    retired_since_collection_ = 0;
    std::vector<Retired> reclaimable;
    if (retired_.empty()) return reclaimable;
    epoch.store(epoch.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    const uint64_t oldest = FindOldestPinned();
    // Tags ascend, as they are given under the lock.
    while (!retired_.empty() && retired_.front().tag < oldest) {
      reclaimable.push_back(retired_.front());
      retired_.pop_front();
    }
    return reclaimable;
  }

  size_t pending_count() {
    MutexLock lock(mutex_);
    return retired_.size();
  }

 private:
  Mutex mutex_;
  std::deque<Retired> retired_ ABSL_GUARDED_BY(mutex_);
  size_t retired_since_collection_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Never destroyed: threads may retire objects after the statics are gone.
Domain& GetDomain() {
  static Domain& domain = *new Domain;
  return domain;
}

}  // namespace

Slot& FindFarSlot(size_t index) {
  const size_t number = (index - kFirstSlots) / kBlockSlots;
  SILTSTONE_CHECK(number < kBlocks);
  Block* block = blocks[number].load(std::memory_order_acquire);
  if (block == nullptr) {
    auto fresh = std::make_unique<Block>();
    if (blocks[number].compare_exchange_strong(block, fresh.get(), std::memory_order_seq_cst)) {
      block = fresh.release();
    }
  }
  size_t limit = block_limit.load(std::memory_order_acquire);
  while (limit <= number) {
    if (block_limit.compare_exchange_weak(limit, number + 1, std::memory_order_seq_cst)) break;
  }
  return block->slots[(index - kFirstSlots) % kBlockSlots];
}

}  // namespace epoch_internal

void EpochRetire(void* object, void (*reclaim)(void*)) {
  if (epoch_internal::GetDomain().Add(object, reclaim)) EpochCollect();
}

void EpochCollect() {
  for (const auto& retired : epoch_internal::GetDomain().TakeReclaimable()) {
    retired.reclaim(retired.object);
  }
}

size_t EpochPendingCount() { return epoch_internal::GetDomain().pending_count(); }

}  // namespace siltstone
