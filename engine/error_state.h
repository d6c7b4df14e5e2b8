#pragma once

#include <atomic>

#include "absl/status/status.h"

#include "base/mutex.h"

namespace siltstone {

// Why the database refuses writes: the first error of its log, its manifest, or a background job.
//
// Thread-safe. Asking whether there is an error costs one load.
class ErrorState {
 public:
  bool ok() const { return !failed_.load(std::memory_order_acquire); }

  // Keeps `cause` unless an earlier one is kept. True when it was the first.
  bool Set(const absl::Status& cause);
  void Clear();

  // The first cause itself; OK when there is none.
  absl::Status cause() const;
  // What a refused write answers: the code of the cause, and the way out. OK when there is no error.
  absl::Status Refusal() const;

 private:
  std::atomic<bool> failed_{false};
  mutable Mutex mutex_;
  absl::Status cause_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace siltstone
