#pragma once

#include <cstddef>
#include <cstdint>

namespace siltstone {

inline constexpr size_t kCacheLineBytes = 64;

namespace thread_slot_internal {

inline constexpr size_t kNone = SIZE_MAX;
inline constinit thread_local size_t this_thread = kNone;

// Gives this thread the smallest free slot.
size_t Acquire();

}  // namespace thread_slot_internal

// A small number that no other live thread has: an index into arrays of per-thread data. Slots are
// handed out from 0 up and again after their thread has ended, the smallest free one first.
// Whatever a thread did while it had a slot happens before what the next owner does. (A child
// process goes on with the slot of the thread that forked.)
//
// Thread safety: thread-safe. Cost: one load of a thread-local variable.
inline size_t ThreadSlot() {
  const size_t slot = thread_slot_internal::this_thread;
  return __builtin_expect(slot != thread_slot_internal::kNone, 1) ? slot
                                                                  : thread_slot_internal::Acquire();
}

}  // namespace siltstone
