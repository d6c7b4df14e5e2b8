#include "base/thread_pool.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutex.h"

namespace siltstone {
namespace {

TEST(ThreadPool, DestructionWaitsForAllWorkAndWhatThatSchedules) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(3);
    for (int i = 0; i < 100; ++i) {
      pool.Schedule([&] {
        pool.Schedule([&] {
          pool.Schedule([&] { done.fetch_add(1); });
          done.fetch_add(1);
        });
        done.fetch_add(1);
      });
    }
  }
  EXPECT_EQ(done, 300);
}

TEST(ThreadPool, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  ThreadPool pool(1);
  for (int i = 0; i < 50; ++i) pool.Schedule([&, i] { order.push_back(i); });
  pool.WaitUntilIdle();
  ASSERT_EQ(order.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(ThreadPool, RunsAsManyAtATimeAsItHasThreads) {
  std::atomic<int> together{0};
  ThreadPool pool(4);
  EXPECT_EQ(pool.thread_count(), 4);
  for (int i = 0; i < 4; ++i) {
    pool.Schedule([&] {
      together.fetch_add(1);
      while (together < 4) std::this_thread::yield();  // ends only when all four run
    });
  }
  pool.WaitUntilIdle();
  EXPECT_EQ(together, 4);
}

TEST(ThreadPool, WhatWorkCapturedIsGoneWhenIdle) {
  ThreadPool pool(2);
  auto captured = std::make_shared<int>(1);
  pool.Schedule([captured] {});
  pool.WaitUntilIdle();
  EXPECT_EQ(captured.use_count(), 1);
}

TEST(ThreadPool, IdlePoolsEnd) {
  ThreadPool pool(2);
  pool.WaitUntilIdle();
}

TEST(CondVar, WaitForTellsATimeoutFromANotification) {
  Mutex mutex;
  CondVar changed;
  bool done = false;
  {
    MutexLock lock(mutex);
    EXPECT_FALSE(changed.WaitFor(mutex, std::chrono::milliseconds(1)));
  }
  std::thread other([&] {
    MutexLock lock(mutex);
    done = true;
    changed.NotifyAll();
  });
  MutexLock lock(mutex);
  while (!done) changed.WaitFor(mutex, std::chrono::seconds(60));
  lock.Unlock();
  other.join();
  lock.Lock();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace siltstone
