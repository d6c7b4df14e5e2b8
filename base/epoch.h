#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/thread_slot.h"

// Epoch-based reclamation for the whole process: readers follow pointers without locks or counts,
// and what a writer has unlinked is freed only when no reader can still be looking at it.
//
//   reader: EpochGuard guard;
//           const Block* block = table[i].load(std::memory_order_acquire);  // good while guard
//           lives
//   writer: Block* old = table[i].exchange(fresh, std::memory_order_acq_rel);
//           EpochRetire(old, [](void* block) { delete static_cast<Block*>(block); });
//
// Invariants:
//   I1. The epoch only grows, and only under the lock of the list of retired objects; an object is
//   tagged
//       with the epoch under the same lock. So a reader that has seen an epoch above an object's
//       tag also sees that the object is unlinked.
//   I2. Readers announce with a read-modify-write of their own slot, and the collector looks at
//   slots with
//       one too. Of the two one comes first: either the collector sees the reader, or the reader
//       sees everything that was unlinked before the collector looked. This needs no fence, and the
//       thread sanitizer understands it.
//   I3. An object is reclaimed after a look at all slots, made after it was retired, that found
//   each slot
//       free or at an epoch above the object's tag.
//
// Thread safety: everything is thread-safe; an EpochGuard belongs to the thread that made it.
// Cost: a guard is an exchange and a store on the thread's own cache line. Threads beyond the first
// kFirstSlots pay an indirection.

namespace siltstone {

namespace epoch_internal {

struct alignas(kCacheLineBytes) Slot {
  std::atomic<uint64_t> pinned_epoch{0};  // 0: no guard
  uint32_t depth = 0;                     // of nested guards; the owner's alone
};

inline constexpr size_t kFirstSlots = 64;
extern Slot first_slots[kFirstSlots];
extern std::atomic<uint64_t> epoch;

// The slot of a thread beyond the first ones.
Slot& FindFarSlot(size_t index);

}  // namespace epoch_internal

// While it lives, nothing that this thread reached through a shared pointer after making it is
// reclaimed. Guards nest. Hold it briefly: it holds up all reclamation. Single-threaded.
class [[nodiscard]] EpochGuard {
 public:
  EpochGuard() : slot_(ThisThreadSlot()) {
    if (slot_.depth++ == 0) {
      const uint64_t now = epoch_internal::epoch.load(std::memory_order_acquire);
      slot_.pinned_epoch.exchange(now, std::memory_order_seq_cst);
    }
  }
  ~EpochGuard() {
    if (--slot_.depth == 0) slot_.pinned_epoch.store(0, std::memory_order_release);
  }
  EpochGuard(const EpochGuard&) = delete;
  EpochGuard& operator=(const EpochGuard&) = delete;

  // Whether the calling thread holds a guard; for assertions.
  static bool IsHeld() { return ThisThreadSlot().depth != 0; }

 private:
  static epoch_internal::Slot& ThisThreadSlot() {
    const size_t slot = ThreadSlot();
    return __builtin_expect(slot < epoch_internal::kFirstSlots, 1)
               ? epoch_internal::first_slots[slot]
               : epoch_internal::FindFarSlot(slot);
  }

  epoch_internal::Slot& slot_;
};

// Calls `reclaim(object)` once, later, on any thread, outside of all locks of this unit. REQUIRES:
// no new reader can reach the object (its last pointer was overwritten before, by this thread or
// with synchronisation). Now and then it collects by itself. `reclaim` may retire further objects.
void EpochRetire(void* object, void (*reclaim)(void*));

// Reclaims what can be reclaimed now: everything retired before the oldest guard that is held.
// Under a guard of the caller's own that is little.
void EpochCollect();

// Objects retired and not reclaimed yet; for tests and statistics.
size_t EpochPendingCount();

}  // namespace siltstone
