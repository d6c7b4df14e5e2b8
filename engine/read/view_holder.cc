#include "engine/read/view_holder.h"

#include "base/epoch.h"

namespace siltstone {

ViewHolder::~ViewHolder() { view_.load(std::memory_order_acquire)->Unref(); }

const ReadView* ViewHolder::Acquire() const {
  EpochGuard guard;
  const ReadView& view = current();
  view.Ref();
  return &view;
}

void ViewHolder::Change(const std::function<void(ReadView*)>& change) {
  MutexLock lock(mutex_);
  ReadView* old_view = view_.load(std::memory_order_relaxed);
  auto* new_view = new ReadView(old_view->active, old_view->immutables, old_view->version);
  change(new_view);
  // Sequentially consistent, so that a guard that begins after the retirement sees the new view.
  view_.store(new_view, std::memory_order_seq_cst);
  EpochRetire(old_view, [](void* view) { static_cast<const ReadView*>(view)->Unref(); });
}

}  // namespace siltstone
