#include "base/striped_counters.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

TEST(StripedCounters, StartAtZeroAndKeepCountersApart) {
  StripedCounters<3> counters;
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(counters.Sum(i), 0u);
  counters.Add(1, 5);
  counters.Add(1, 2);
  counters.Add(2, 1);
  EXPECT_EQ(counters.Sum(0), 0u);
  EXPECT_EQ(counters.Sum(1), 7u);
  EXPECT_EQ(counters.Sum(2), 1u);
}

TEST(StripedCounters, AreExactWhenQuietAlsoWithMoreThreadsThanStripes) {
  constexpr int kThreads = 3 * StripedCounters<2>::kStripes;
  constexpr uint64_t kAdds = 500;
  StripedCounters<2> counters;
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ThreadSlot();
      ready.fetch_add(1);
      while (ready < kThreads) std::this_thread::yield();  // all slots are taken at once
      for (uint64_t n = 0; n < kAdds; ++n) counters.Add(n % 2, n);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counters.Sum(0) + counters.Sum(1), kThreads * (kAdds * (kAdds - 1) / 2));
}

TEST(StripedCounters, ThreadsThatFollowEachOtherAddUp) {
  StripedCounters<1> counters;
  for (int i = 0; i < 200; ++i) std::thread([&] { counters.Add(0, 1); }).join();
  EXPECT_EQ(counters.Sum(0), 200u);
}

TEST(StripedCounters, MayBeReadWhileOthersAdd) {
  StripedCounters<1> counters;
  std::thread adder([&] {
    for (int i = 0; i < 100000; ++i) counters.Add(0, 1);
  });
  uint64_t last = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t sum = counters.Sum(0);
    EXPECT_GE(sum, last);
    last = sum;
  }
  adder.join();
  EXPECT_EQ(counters.Sum(0), 100000u);
}

}  // namespace
}  // namespace siltstone
