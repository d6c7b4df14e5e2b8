#pragma once

#include <atomic>
#include <functional>

#include "base/mutex.h"
#include "engine/read/read_view.h"

namespace siltstone {

// The newest ReadView, which readers reach without a lock.
//
//   EpochGuard guard;
//   const ReadView& view = holder.current();   // good while the guard is held
//
// A view that was replaced is let go of when no guard can hold it any more.
//
// Thread-safe.
class ViewHolder {
 public:
  // Takes over the caller's reference.
  explicit ViewHolder(ReadView* view) : view_(view) {}
  // REQUIRES: no reader is inside a guard with this holder's view.
  ~ViewHolder();
  ViewHolder(const ViewHolder&) = delete;
  ViewHolder& operator=(const ViewHolder&) = delete;

  // REQUIRES: the caller holds an EpochGuard for as long as it uses the result.
  const ReadView& current() const { return *view_.load(std::memory_order_acquire); }

  // The newest view with a reference of the caller's own: call Unref on it.
  const ReadView* Acquire() const;

  // Replaces the view by a copy that `change` has altered. Changes happen one at a time.
  void Change(const std::function<void(ReadView*)>& change);

 private:
  Mutex mutex_;
  std::atomic<ReadView*> view_;
};

}  // namespace siltstone
