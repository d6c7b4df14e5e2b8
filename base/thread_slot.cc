#include "base/thread_slot.h"

#include <pthread.h>

#include <functional>
#include <queue>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"

namespace siltstone::thread_slot_internal {
namespace {

// Which slots are taken. Its lock orders the use of a slot by one thread before that by the next.
// A pthread key gives slots back, not a thread_local destructor: keys are destroyed after all of
// those, so that they may still use what is built on slots; and a slot taken later than that is
// given back as well, as the system goes through the keys again.
class Registry {
 public:
  Registry() { SILTSTONE_CHECK(pthread_key_create(&key_, &OnThreadEnd) == 0); }

  size_t Take() {
    const size_t slot = TakeSmallest();
    // Keys hold pointers, and null means unset.
    SILTSTONE_CHECK(pthread_setspecific(key_, reinterpret_cast<void*>(slot + 1)) == 0);
    return slot;
  }

  void GiveBack(size_t slot) {
    MutexLock lock(mutex_);
    free_.push(slot);
  }

 private:
  static void OnThreadEnd(void* value);

  size_t TakeSmallest() {
    MutexLock lock(mutex_);
    if (free_.empty()) return next_++;
    const size_t slot = free_.top();
    free_.pop();
    return slot;
  }

  pthread_key_t key_;
  Mutex mutex_;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> free_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Never destroyed: threads may end after the statics are gone.
Registry& GetRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

void Registry::OnThreadEnd(void* value) {
  this_thread = kNone;
  GetRegistry().GiveBack(reinterpret_cast<size_t>(value) - 1);
}

}  // namespace

size_t Acquire() {
  this_thread = GetRegistry().Take();
  return this_thread;
}

}  // namespace siltstone::thread_slot_internal
