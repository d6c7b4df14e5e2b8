#include "base/epoch.h"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

std::atomic<int> live_count{0};

// Says whether it was reclaimed, as long as nobody reuses the memory; the sanitizers see the rest.
struct Canary {
  static constexpr uint64_t kAlive = 0x616c697665;
  Canary() { live_count.fetch_add(1); }
  ~Canary() {
    alive = 0;
    live_count.fetch_sub(1);
  }
  uint64_t alive = kAlive;
  uint64_t number = 0;
};

void Retire(Canary* canary) {
  EpochRetire(canary, [](void* object) { delete static_cast<Canary*>(object); });
}

// Runs `work` and waits for it.
void InThread(std::function<void()> work) { std::thread(std::move(work)).join(); }

class Epoch : public testing::Test {
 protected:
  void SetUp() override {
    EpochCollect();
    ASSERT_EQ(EpochPendingCount(), 0u);
    live_count = 0;
  }
  void TearDown() override {
    EpochCollect();
    EXPECT_EQ(live_count, 0);
  }
};

TEST_F(Epoch, WithoutGuardsCollectReclaimsAll) {
  for (int i = 0; i < 10; ++i) Retire(new Canary);
  EXPECT_EQ(live_count, 10);
  EpochCollect();
  EXPECT_EQ(live_count, 0);
}

TEST_F(Epoch, AGuardKeepsWhatIsRetiredUnderIt) {
  {
    EpochGuard guard;
    InThread([] {
      Retire(new Canary);
      EpochCollect();
    });
    EXPECT_EQ(live_count, 1);
    EpochCollect();
    EXPECT_EQ(live_count, 1);
  }
  EpochCollect();
  EXPECT_EQ(live_count, 0);
}

TEST_F(Epoch, GuardsNestAndTheOutermostCounts) {
  EXPECT_FALSE(EpochGuard::IsHeld());
  auto outer = std::make_unique<EpochGuard>();
  EXPECT_TRUE(EpochGuard::IsHeld());
  { EpochGuard inner; }
  EXPECT_TRUE(EpochGuard::IsHeld());
  Retire(new Canary);
  EpochCollect();
  EXPECT_EQ(live_count, 1);
  outer.reset();
  EXPECT_FALSE(EpochGuard::IsHeld());
  EpochCollect();
  EXPECT_EQ(live_count, 0);
}

TEST_F(Epoch, ALaterGuardDoesNotKeepWhatWasRetiredEarlier) {
  Retire(new Canary);
  EpochCollect();  // the epoch moves on
  Retire(new Canary);
  {
    auto first = std::make_unique<EpochGuard>();
    EpochCollect();
    first.reset();
    EpochGuard second;
    EpochCollect();
    EXPECT_EQ(live_count, 0);
  }
}

TEST_F(Epoch, RetireCollectsByItself) {
  for (int i = 0; i < 10000; ++i) Retire(new Canary);
  EXPECT_LT(live_count, 200);
}

TEST_F(Epoch, ReclaimMayRetireMore) {
  struct Chain {
    int left;
    static void Reclaim(void* object) {
      auto* chain = static_cast<Chain*>(object);
      if (chain->left > 0) EpochRetire(new Chain{chain->left - 1}, &Reclaim);
      delete chain;
    }
  };
  EpochRetire(new Chain{100}, &Chain::Reclaim);
  for (int i = 0; i < 101; ++i) EpochCollect();
  EXPECT_EQ(EpochPendingCount(), 0u);
}

TEST_F(Epoch, AGuardOnAThreadBeyondTheFirstSlotsCounts) {
  constexpr int kThreads = 200;  // in three blocks of slots
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      EpochGuard guard;
      ready.fetch_add(1);
      while (!go) std::this_thread::yield();
    });
  }
  while (ready != kThreads) std::this_thread::yield();
  Retire(new Canary);
  EpochCollect();
  EXPECT_EQ(live_count, 1);
  go = true;
  for (std::thread& thread : threads) thread.join();
  EpochCollect();
  EXPECT_EQ(live_count, 0);
}

// One guard, on the thread with the highest slot, while lower blocks of slots were never used.
TEST_F(Epoch, ASingleGuardOnAFarSlotCounts) {
  constexpr int kThreads = 400;
  std::atomic<int> ready{0};
  std::atomic<size_t> highest{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const size_t slot = ThreadSlot();
      for (size_t seen = highest; seen < slot && !highest.compare_exchange_weak(seen, slot);) {
      }
      ready.fetch_add(1);
      while (ready < kThreads) std::this_thread::yield();
      if (slot == highest) {
        EpochGuard guard;
        Retire(new Canary);
        EpochCollect();
        EXPECT_EQ(live_count, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Uses an epoch guard while the thread's other thread_local objects are being destroyed.
struct GuardsAtThreadEnd {
  ~GuardsAtThreadEnd() {
    EpochGuard guard;
    Retire(new Canary);
  }
};
thread_local GuardsAtThreadEnd guards_at_thread_end;

TEST_F(Epoch, WorksWhileAThreadEnds) {
  size_t first_slot = 0, last_slot = 0;
  for (int i = 0; i < 50; ++i) {
    InThread([&] {
      (void)&guards_at_thread_end;
      last_slot = ThreadSlot();
      if (i == 0) first_slot = last_slot;
    });
  }
  EXPECT_EQ(first_slot, last_slot);  // no slot was lost on the way
}

// Readers follow shared pointers and look at what they find; writers replace and retire it.
void RunReadersAndWriters(int readers, int writers, int milliseconds, uint64_t seed) {
  constexpr size_t kCells = 16;
  std::atomic<Canary*> cells[kCells];
  for (auto& cell : cells) cell = new Canary;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> dead_seen{0};

  const auto read = [&](uint64_t reader_seed) {
    Random random(reader_seed);
    while (!stop.load(std::memory_order_relaxed)) {
      EpochGuard guard;
      const Canary* found[4];
      for (auto& canary : found) {
        EpochGuard nested;
        canary = cells[random.Uniform(kCells)].load(std::memory_order_acquire);
      }
      if (random.OneIn(64)) std::this_thread::yield();
      for (const Canary* canary : found) dead_seen += canary->alive != Canary::kAlive;
    }
  };
  const auto write = [&](uint64_t writer_seed) {
    Random random(writer_seed);
    while (!stop.load(std::memory_order_relaxed)) {
      auto* fresh = new Canary;
      fresh->number = random.Next();
      Retire(cells[random.Uniform(kCells)].exchange(fresh, std::memory_order_acq_rel));
      if (random.OneIn(50)) EpochCollect();
    }
  };
  // Threads that come, look and go.
  const auto visit = [&](uint64_t visitor_seed) {
    Random random(visitor_seed);
    while (!stop.load(std::memory_order_relaxed)) {
      InThread([&] {
        EpochGuard guard;
        const Canary* canary = cells[random.Uniform(kCells)].load(std::memory_order_acquire);
        std::this_thread::yield();
        dead_seen += canary->alive != Canary::kAlive;
      });
    }
  };

  std::vector<std::thread> threads;
  for (int i = 0; i < readers; ++i) threads.emplace_back(read, ++seed);
  for (int i = 0; i < writers; ++i) threads.emplace_back(write, ++seed);
  threads.emplace_back(visit, ++seed);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(dead_seen, 0u);
  for (auto& cell : cells) Retire(cell.exchange(nullptr));
}

TEST_F(Epoch, ReadersNeverSeeAReclaimedObject) { RunReadersAndWriters(3, 2, 400, TestSeed()); }

TEST_F(Epoch, ReadersBeyondTheFirstSlotsNeverSeeAReclaimedObject) {
  RunReadersAndWriters(80, 2, 400, TestSeed());
}

}  // namespace
}  // namespace siltstone
