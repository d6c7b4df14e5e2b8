#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/engine/test_database.h"
#include "tests/support/test_seed.h"

// Readers and writers at the same time, with flushes and compactions beside them. Bounded by operations, not by time.
// Meant for the thread sanitizer as well.

namespace siltstone {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kRounds = 1500;
#else
constexpr int kRounds = 6000;
#endif
constexpr int kPairs = 300;

// Every write sets both keys of a pair, which lie far from one another, to the same value.
std::string Left(uint64_t pair) { return "left:" + NumberKey(pair); }
std::string Right(uint64_t pair) { return "right:" + NumberKey(pair); }

class PairTest : public ::testing::TestWithParam<int> {
 protected:
  static Options MakeOptions() {
    Options options = SmallOptions();
    options.write_buffer_size_bytes = size_t{16} << 10;
    options.memory_budget_bytes = size_t{256} << 10;
    options.block_size_bytes = 512;
    options.durability = Durability::kBuffered;
    options.max_background_jobs = GetParam();
    return options;
  }

  void WritePairs(uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < kRounds; ++i) {
      const uint64_t pair = random.Uniform(kPairs);
      WriteBatch batch;
      if (random.OneIn(10)) {
        batch.Delete(Left(pair));
        batch.Delete(Right(pair));
      } else {
        const std::string value = std::to_string(seed) + "-" + std::to_string(i) + "-" +
                                  NoiseBytes(seed + i, random.Uniform(100));
        batch.Put(Left(pair), value);
        batch.Put(Right(pair), value);
      }
      ASSERT_EQ(db_->Write(batch), absl::OkStatus());
    }
  }

  void ReadPairs(uint64_t seed) {
    Random random(seed);
    while (writers_left_.load() > 0) {
      const uint64_t pair = random.Uniform(kPairs);
      switch (random.Uniform(3)) {
        case 0:
          MultiGetPair(pair);
          break;
        case 1:
          GetPairAtSnapshot(pair);
          break;
        default:
          if (random.OneIn(20)) ScanAll();
          // Two Gets see two states: nothing to compare, but each must succeed.
          ASSERT_TRUE(db_->Get(Left(pair)).ok());
          db_->MayContain(Right(pair));
      }
      if (HasFailure()) return;
    }
  }

  void MultiGetPair(uint64_t pair) {
    const std::string left = Left(pair);
    const std::string right = Right(pair);
    const std::array<std::string_view, 2> keys = {left, right};
    std::array<DB::GetResult, 2> results;
    db_->MultiGet(keys, results);
    ASSERT_EQ(TestDatabase::Text(results[0]), TestDatabase::Text(results[1]));
  }

  void GetPairAtSnapshot(uint64_t pair) {
    const Snapshot snapshot = db_->GetSnapshot();
    const std::string before = db_.Get(Left(pair), {.snapshot = &snapshot});
    std::this_thread::yield();
    ASSERT_EQ(db_.Get(Right(pair), {.snapshot = &snapshot}), before);
    ASSERT_EQ(db_.Get(Left(pair), {.snapshot = &snapshot}), before) << "reads at it are repeatable";
  }

  void ScanAll() {
    const auto it = db_->NewIterator();
    std::vector<std::string> left;
    for (it->SeekToFirst(); it->Valid() && it->key() < "right"; it->Next()) {
      left.push_back(std::string(it->key().substr(5)) + std::string(it->value()));
    }
    size_t count = 0;
    for (; it->Valid(); it->Next()) {
      ASSERT_LT(count, left.size());
      ASSERT_EQ(left[count++], std::string(it->key().substr(6)) + std::string(it->value()));
    }
    ASSERT_EQ(count, left.size());
    ASSERT_EQ(it->status(), absl::OkStatus());
  }

  TestDatabase db_{MakeOptions()};
  std::atomic<int> writers_left_{0};
};
INSTANTIATE_TEST_SUITE_P(BackgroundJobs, PairTest, ::testing::Values(1, 4),
                         [](const auto& info) { return std::to_string(info.param); });

TEST_P(PairTest, TwoReadersAndTwoWritersKeepPairsEqual) {
  const uint64_t seed = TestSeed(99);
  writers_left_ = 2;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 2; ++writer) {
    threads.emplace_back([this, seed, writer] {
      WritePairs(seed + writer);
      writers_left_.fetch_sub(1);
    });
  }
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([this, seed, reader] { ReadPairs(seed + 10 + reader); });
  }
  threads.emplace_back([this] {
    while (writers_left_.load() > 0) {
      EXPECT_EQ(db_->Flush(), absl::OkStatus());
      EXPECT_EQ(db_->CompactRange(Left(0), Left(kPairs / 2)), absl::OkStatus());
      EXPECT_EQ(db_->VerifyChecksums(), absl::OkStatus());
      db_->GetStatistics();
      db_->GetMemoryReport();
    }
  });
  for (std::thread& thread : threads) thread.join();
  ScanAll();
  const Statistics statistics = db_->GetStatistics();
  EXPECT_EQ(statistics.writes, 2u * kRounds);
  EXPECT_GT(statistics.flushes, 10u);
  EXPECT_GT(statistics.compactions, 5u);
  EXPECT_EQ(statistics.snapshots, 0u);
  const std::string before = db_.Scan();
  db_.Reopen();
  EXPECT_EQ(db_.Scan(), before);
}

TEST(Concurrency, AReaderSeesItsOwnWritesAndNeverGoesBack) {
  Options options = SmallOptions();
  options.write_buffer_size_bytes = size_t{8} << 10;
  TestDatabase db(options);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    uint64_t newest = 0;
    while (!done.load()) {
      const auto value = db->Get("counter");
      ASSERT_TRUE(value.ok());
      if (!value->has_value()) continue;
      const uint64_t seen = std::stoull((*value)->ToString());
      ASSERT_GE(seen, newest);
      newest = seen;
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    db.Put("counter", std::to_string(i));
    db.Put(NumberKey(i % 100), NoiseBytes(i, 50));
    ASSERT_EQ(db.Get("counter"), std::to_string(i));
  }
  done = true;
  reader.join();
}

TEST(Concurrency, ManyThreadsComeAndGo) {
  TestDatabase db;
  db.Put("key", "value");
  db.CompactAll();
  // More live threads than there are stripes for counters, and reused slots.
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 80; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 20; ++n) EXPECT_EQ(db.Get("key"), "value");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(db->GetStatistics().gets, 3u * 80 * 20);
  EXPECT_EQ(db->GetStatistics().gets_found, 3u * 80 * 20);
}

// Close is not meant to run beside writers, but it must not hang when it does.
TEST(Concurrency, CloseRefusesWritersThatWaitForRoom) {
  Options options = SmallOptions();
  options.write_buffer_size_bytes = 4096;
  TestDatabase db(options);
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&db, i] {
      absl::Status status;
      for (int n = 0; status.ok(); ++n) status = db->Put(NumberKey(n * 3 + i), NoiseBytes(n, 1000));
      EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    });
  }
  while (db->GetStatistics().write_stall_micros == 0) std::this_thread::yield();
  EXPECT_EQ(db->Close(), absl::OkStatus());
  for (std::thread& writer : writers) writer.join();
}

}  // namespace
}  // namespace siltstone
