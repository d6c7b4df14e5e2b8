#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "siltstone/snapshot.h"

#include "base/internal_key.h"
#include "base/mutex.h"

namespace siltstone {

// The snapshots of one database that are alive. Shared by the engine and by every snapshot, so that
// those may outlive the database; its address tells whose a snapshot is.
//
// Thread-safe.
class SnapshotList {
 public:
  // Registers a snapshot of the newest readable sequence number. That is read under the list's
  // lock, so that a job which lists the snapshots either sees this one or sees only writes it can
  // see.
  static Snapshot Take(const std::shared_ptr<SnapshotList>& list,
                       const std::atomic<SequenceNumber>& visible_sequence);

  // The sequence numbers in use, ascending, without doubles.
  std::vector<SequenceNumber> Sequences() const;
  size_t count() const;

 private:
  friend class SnapshotState;

  mutable Mutex mutex_;
  std::multiset<SequenceNumber> sequences_ ABSL_GUARDED_BY(mutex_);
};

// What a Snapshot holds. Immutable; takes itself off the list when it is destroyed.
class SnapshotState {
 public:
  SnapshotState(std::shared_ptr<SnapshotList> list, SequenceNumber sequence)
      : list_(std::move(list)), sequence_(sequence) {}
  ~SnapshotState();
  SnapshotState(const SnapshotState&) = delete;
  SnapshotState& operator=(const SnapshotState&) = delete;

  SequenceNumber sequence() const { return sequence_; }
  bool BelongsTo(const SnapshotList& list) const { return list_.get() == &list; }

 private:
  const std::shared_ptr<SnapshotList> list_;
  const SequenceNumber sequence_;
};

}  // namespace siltstone
