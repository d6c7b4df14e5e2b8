#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace siltstone {

// A fixed number of threads that do scheduled work in the order it came.
//
// Thread safety: thread-safe, but for the destructor, beside which only the work itself may run.
class ThreadPool {
 public:
  // REQUIRES: threads >= 1.
  explicit ThreadPool(int threads);
  // Waits for all scheduled work, including what that work schedules.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // `work` must not throw.
  void Schedule(std::function<void()> work);

  // Waits until nothing is scheduled or running. REQUIRES: not called by the work itself.
  void WaitUntilIdle();

  int thread_count() const { return static_cast<int>(threads_.size()); }

 private:
  void Run();
  bool TakeWork(std::function<void()>* work);

  Mutex mutex_;
  CondVar work_came_;
  CondVar became_idle_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace siltstone
