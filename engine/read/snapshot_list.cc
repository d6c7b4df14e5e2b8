#include "engine/read/snapshot_list.h"

#include <utility>

namespace siltstone {

Snapshot SnapshotList::Take(const std::shared_ptr<SnapshotList>& list,
                            const std::atomic<SequenceNumber>& visible_sequence) {
  MutexLock lock(list->mutex_);
  const SequenceNumber sequence = visible_sequence.load(std::memory_order_acquire);
  list->sequences_.insert(sequence);
  return Snapshot(std::make_shared<const SnapshotState>(list, sequence));
}

std::vector<SequenceNumber> SnapshotList::Sequences() const {
  MutexLock lock(mutex_);
  std::vector<SequenceNumber> sequences;
  for (SequenceNumber sequence : sequences_) {
    if (sequences.empty() || sequences.back() != sequence) sequences.push_back(sequence);
  }
  return sequences;
}

size_t SnapshotList::count() const {
  MutexLock lock(mutex_);
  return sequences_.size();
}

SnapshotState::~SnapshotState() {
  MutexLock lock(list_->mutex_);
  list_->sequences_.erase(list_->sequences_.find(sequence_));
}

uint64_t Snapshot::sequence_number() const { return state_ == nullptr ? 0 : state_->sequence(); }

}  // namespace siltstone
