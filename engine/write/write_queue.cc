#include "engine/write/write_queue.h"

#include <vector>

namespace siltstone {

absl::Status WriteQueue::Commit(PendingWrite* write) {
  Waiter waiter;
  waiter.write = write;
  MutexLock lock(mutex_);
  Join(&waiter);
  return write->status;
}

absl::Status WriteQueue::RunExclusive(const std::function<absl::Status()>& task) {
  Waiter waiter;
  waiter.task = &task;
  MutexLock lock(mutex_);
  Join(&waiter);
  return waiter.task_status;
}

void WriteQueue::Join(Waiter* waiter) {
  queue_.push_back(waiter);
  while (!waiter->done && queue_.front() != waiter) waiter->changed.Wait(mutex_);
  if (!waiter->done) Lead(waiter);
}

void WriteQueue::Lead(Waiter* leader) {
  const size_t size = GroupSize();
  std::vector<PendingWrite*> group;
  for (size_t i = 0; i < size && leader->task == nullptr; ++i) group.push_back(queue_[i]->write);

  mutex_.Unlock();
  if (leader->task != nullptr) {
    leader->task_status = (*leader->task)();
  } else {
    commit_(group);
  }
  mutex_.Lock();

  // The members stayed at the front, so that nobody behind them could believe to be the leader.
  for (size_t i = 0; i < size; ++i) {
    Waiter* member = queue_.front();
    queue_.pop_front();
    member->done = true;
    if (member != leader) member->changed.NotifyOne();
  }
  if (!queue_.empty()) queue_.front()->changed.NotifyOne();
}

size_t WriteQueue::GroupSize() const {
  if (queue_.front()->task != nullptr) return 1;
  size_t size = 0;
  size_t group_bytes = 0;
  for (const Waiter* waiter : queue_) {
    if (waiter->task != nullptr || size == kMaxGroupWriters) break;
    const size_t bytes = waiter->write->batch->size_bytes();
    if (size > 0 && group_bytes + bytes > kMaxGroupBytes) break;
    group_bytes += bytes;
    ++size;
  }
  return size;
}

}  // namespace siltstone
