#include "base/thread_pool.h"

#include <utility>

#include "base/check.h"

namespace siltstone {

ThreadPool::ThreadPool(int threads) {
  SILTSTONE_CHECK(threads >= 1);
  threads_.reserve(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

ThreadPool::~ThreadPool() {
  WaitUntilIdle();
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    work_came_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Schedule(std::function<void()> work) {
  MutexLock lock(mutex_);
  queue_.push_back(std::move(work));
  work_came_.NotifyOne();
}

void ThreadPool::WaitUntilIdle() {
  MutexLock lock(mutex_);
  while (!queue_.empty() || running_ != 0) became_idle_.Wait(mutex_);
}

bool ThreadPool::TakeWork(std::function<void()>* work) {
  MutexLock lock(mutex_);
  while (queue_.empty() && !stopping_) work_came_.Wait(mutex_);
  if (queue_.empty()) return false;
  *work = std::move(queue_.front());
  queue_.pop_front();
  ++running_;
  return true;
}

void ThreadPool::Run() {
  std::function<void()> work;
  while (TakeWork(&work)) {
    work();
    work = nullptr;  // what it captured is gone before the pool counts as idle
    MutexLock lock(mutex_);
    if (--running_ == 0 && queue_.empty()) became_idle_.NotifyAll();
  }
}

}  // namespace siltstone
