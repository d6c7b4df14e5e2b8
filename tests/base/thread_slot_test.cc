#include "base/thread_slot.h"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

size_t SlotOfNewThread() {
  size_t slot;
  std::thread([&] { slot = ThreadSlot(); }).join();
  return slot;
}

TEST(ThreadSlot, StaysTheSameWithinAThread) {
  const size_t slot = ThreadSlot();
  SlotOfNewThread();
  EXPECT_EQ(ThreadSlot(), slot);
}

TEST(ThreadSlot, IsReusedAfterItsThreadHasEnded) {
  const size_t own_slot = ThreadSlot();  // from here on this thread lives, and keeps it
  const size_t slot = SlotOfNewThread();
  EXPECT_NE(slot, own_slot);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(SlotOfNewThread(), slot);
}

TEST(ThreadSlot, LiveThreadsHaveDifferentSlotsAndTheseAreSmall) {
  constexpr size_t kThreads = 100;
  const size_t own_slot = ThreadSlot();
  for (int round = 0; round < 3; ++round) {
    std::vector<size_t> slots(kThreads);
    std::atomic<size_t> ready{0};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        slots[i] = ThreadSlot();
        ready.fetch_add(1);
        while (ready < kThreads) std::this_thread::yield();
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<size_t> distinct(slots.begin(), slots.end());
    distinct.insert(own_slot);
    EXPECT_EQ(distinct.size(), kThreads + 1);
    EXPECT_LT(*distinct.rbegin(), kThreads + 8);
  }
}

// What the last owner of a slot wrote without synchronisation is seen by the next; the thread sanitizer
// says so when it is not.
TEST(ThreadSlot, HandsItsDataToTheNextOwner) {
  static uint64_t counters[256];
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 50; ++j) std::thread([] { ++counters[ThreadSlot()]; }).join();
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t sum = 0;
  for (const uint64_t counter : counters) sum += counter;
  EXPECT_EQ(sum, 200u);
}

}  // namespace
}  // namespace siltstone
