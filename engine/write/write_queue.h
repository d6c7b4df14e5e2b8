#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "siltstone/options.h"
#include "siltstone/write_batch.h"

#include "base/internal_key.h"
#include "base/mutex.h"

// Group commit: writers that wait at the same time are committed together, by one of them.
//
// The first writer in the queue is the leader. It takes those behind it that fit, commits all of them
// (one log append, one sync) without holding the queue's lock, and wakes them; the next group forms in
// the meantime and its first writer leads it.

namespace siltstone {

// One write on its way. Lives on the stack of the thread that writes.
struct PendingWrite {
  const WriteBatch* batch = nullptr;  // null: an exclusive task
  Durability durability = Durability::kSync;

  // PutIfAbsent: commit only if the key of the batch's one entry is still absent. It was absent in the
  // state that ended with `checked_sequence`, whose active memtable was `checked_memtable_id`.
  bool only_if_absent = false;
  std::string_view key;
  SequenceNumber checked_sequence = 0;
  uint64_t checked_memtable_id = 0;

  absl::Status status;
  bool applied = false;  // set by the leader; stays false where only_if_absent found the key
};

// Thread-safe.
class WriteQueue {
 public:
  // Commits `group`, setting status and applied of each. Called by one thread at a time, no lock held.
  using CommitGroup = std::function<void(std::span<PendingWrite* const> group)>;

  static constexpr size_t kMaxGroupBytes = size_t{1} << 20;
  static constexpr size_t kMaxGroupWriters = 256;

  explicit WriteQueue(CommitGroup commit) : commit_(std::move(commit)) {}

  // Waits for its turn, commits `write` in some group, and returns its status.
  absl::Status Commit(PendingWrite* write);

  // Runs `task` alone, in turn: no group is being committed meanwhile.
  absl::Status RunExclusive(const std::function<absl::Status()>& task);

 private:
  struct Waiter {
    PendingWrite* write = nullptr;
    const std::function<absl::Status()>* task = nullptr;
    absl::Status task_status;
    bool done = false;
    CondVar changed;
  };

  void Join(Waiter* waiter) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lead(Waiter* leader) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // How many of the queue's front, the leader first, are committed together.
  size_t GroupSize() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const CommitGroup commit_;
  Mutex mutex_;
  std::deque<Waiter*> queue_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace siltstone
