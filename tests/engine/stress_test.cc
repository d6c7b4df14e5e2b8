#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/engine/test_database.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/test_seed.h"

// Every public call at the same time as every other one. Meant for the thread sanitizer as well.

namespace siltstone {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kWrites = 2000;
#else
constexpr int kWrites = 20000;
#endif
constexpr uint64_t kKeys = 500;

// A hang, not slowness: far more than any machine needs.
constexpr std::chrono::seconds kPatience{120};

class Stress : public testing::TestWithParam<int> {
 protected:
  static Options MakeOptions(int jobs) {
    Options options = SmallOptions();
    options.write_buffer_size_bytes = size_t{16} << 10;
    options.memory_budget_bytes = size_t{256} << 10;
    options.block_size_bytes = 512;
    options.durability = Durability::kBuffered;
    options.max_background_jobs = jobs;
    return options;
  }

  // The value of a key begins with the key.
  void Write(uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < kWrites; ++i) {
      const std::string key = NumberKey(random.Uniform(kKeys));
      const std::string value = key + NoiseBytes(seed + i, random.Uniform(150));
      absl::Status status;
      switch (random.Uniform(5)) {
        case 0:
          status = db_->Delete(key);
          break;
        case 1:
          status = db_->PutIfAbsent(key, value).status();
          break;
        default:
          status = db_->Put(
              key, value,
              {.durability = random.OneIn(50) ? Durability::kSync : Durability::kBuffered});
      }
      ASSERT_EQ(status, absl::OkStatus());
    }
  }

  void Read(Random& random) {
    const std::string key = NumberKey(random.Uniform(kKeys));
    const DB::GetResult result = db_->Get(key);
    ASSERT_TRUE(result.ok()) << result.status();
    if (result->has_value()) {
      ASSERT_TRUE((*result)->view().starts_with(key));
    }
    db_->MayContain(key);
  }

  // Up to a random key, then back: the same entries.
  void Walk(Random& random) {
    const std::unique_ptr<Iterator> it = db_->NewIterator({.fill_cache = random.OneIn(2)});
    std::vector<std::string> keys;
    it->Seek(NumberKey(random.Uniform(kKeys)));
    for (int i = 0; i < 50 && it->Valid(); ++i, it->Next()) {
      ASSERT_TRUE(it->value().starts_with(it->key()));
      keys.emplace_back(it->key());
    }
    it->Valid() ? it->Prev() : it->SeekToLast();
    for (; !keys.empty() && it->Valid(); it->Prev(), keys.pop_back()) {
      ASSERT_EQ(it->key(), keys.back());
    }
    ASSERT_TRUE(keys.empty());
    ASSERT_EQ(it->status(), absl::OkStatus());
  }

  void UseSnapshot(Random& random) {
    const Snapshot snapshot = db_->GetSnapshot();
    const std::string key = NumberKey(random.Uniform(kKeys));
    const std::string before = TestDatabase::GetFrom(*db_, key, {.snapshot = &snapshot});
    std::this_thread::yield();
    ASSERT_EQ(TestDatabase::GetFrom(*db_, key, {.snapshot = &snapshot}), before);
  }

  void Maintain(Random& random) {
    switch (random.Uniform(5)) {
      case 0:
        ASSERT_EQ(db_->Flush(), absl::OkStatus());
        break;
      case 1:
        ASSERT_EQ(db_->CompactRange(NumberKey(random.Uniform(kKeys)), std::nullopt),
                  absl::OkStatus());
        break;
      case 2:
        ASSERT_EQ(db_->VerifyChecksums(), absl::OkStatus());
        break;
      case 3:
        ASSERT_EQ(db_->Resume(), absl::OkStatus());
        break;
      default:
        ASSERT_FALSE(db_->GetProperty("siltstone.tables").empty() &&
                     db_->GetStatistics().flushes > 1000000);
        ASSERT_GT(db_->GetMemoryReport().total_bytes, 0u);
    }
  }

  // Runs `action` on a thread until the writers are done.
  template <typename Action>
  void RunBeside(std::vector<std::thread>* threads, uint64_t seed, Action action) {
    threads->emplace_back([this, seed, action] {
      Random random(seed);
      while (!done_.load() && !HasFailure()) action(random);
    });
  }

  std::unique_ptr<DB> db_;
  std::atomic<bool> done_{false};
};
INSTANTIATE_TEST_SUITE_P(BackgroundJobs, Stress, testing::Values(1, 4),
                         [](const auto& info) { return std::to_string(info.param); });

TEST_P(Stress, EveryCallBesideEveryOther) {
  const uint64_t seed = TestSeed();
  const Options options = MakeOptions(GetParam());
  auto opened = DB::Open(options, "/db");
  ASSERT_TRUE(opened.ok()) << opened.status();
  db_ = *std::move(opened);
  std::vector<std::thread> writers, others;
  for (uint64_t i = 0; i < 2; ++i) writers.emplace_back([this, seed, i] { Write(seed * 10 + i); });
  for (uint64_t i = 0; i < 2; ++i) {
    RunBeside(&others, seed + i, [this](Random& random) { Read(random); });
  }
  RunBeside(&others, seed + 2, [this](Random& random) { Walk(random); });
  RunBeside(&others, seed + 3, [this](Random& random) { UseSnapshot(random); });
  RunBeside(&others, seed + 4, [this](Random& random) { Maintain(random); });
  for (std::thread& thread : writers) thread.join();
  done_ = true;
  for (std::thread& thread : others) thread.join();

  // Iterators, snapshots and values outlive the close.
  const Snapshot snapshot = db_->GetSnapshot();
  const std::unique_ptr<Iterator> it = db_->NewIterator();
  it->SeekToFirst();
  auto closed = std::async(std::launch::async, [this] { return db_->Close(); });
  ASSERT_EQ(closed.wait_for(kPatience), std::future_status::ready) << "Close hangs";
  EXPECT_EQ(closed.get(), absl::OkStatus());
  size_t entries = 0;
  for (; it->Valid(); it->Next()) ++entries;
  EXPECT_EQ(it->status(), absl::OkStatus());
  db_.reset();
  TestDatabase again(options);
  EXPECT_EQ(again->VerifyChecksums(), absl::OkStatus());
  const auto recovered = again->NewIterator();
  for (recovered->SeekToFirst(); recovered->Valid(); recovered->Next()) --entries;
  EXPECT_EQ(entries, 0u);
}

// Whatever the disk does at that moment, and whoever waits for room.
TEST(Liveness, CloseEndsWhileJobsRunAndSyncsAreSlow) {
  const auto files = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  Options options = SmallOptions();
  options.write_buffer_size_bytes = size_t{4} << 10;
  options.memory_budget_bytes = size_t{64} << 10;
  options.max_background_jobs = 4;
  options.file_system = files;
  files->SetSyncDelay(std::chrono::milliseconds(1));
  auto db = DB::Open(options, "/db");
  ASSERT_TRUE(db.ok()) << db.status();
  for (uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ((*db)->Put(NumberKey(i * 7 % 300), NoiseBytes(i, 200)), absl::OkStatus());
  }
  auto closed = std::async(std::launch::async, [&] { return (*db)->Close(); });
  ASSERT_EQ(closed.wait_for(kPatience), std::future_status::ready) << "Close hangs";
  EXPECT_EQ(closed.get(), absl::OkStatus());
}

// No stall lasts: a writer that is faster than all jobs gets through.
TEST(Liveness, AWriterFasterThanTheJobsGetsThrough) {
  const auto files = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  Options options = SmallOptions();
  options.write_buffer_size_bytes = size_t{4} << 10;
  options.memory_budget_bytes = size_t{64} << 10;
  options.durability = Durability::kBuffered;
  options.max_background_jobs = 1;
  options.file_system = files;
  files->SetHook([](FileOperation operation, std::string_view) {
    if (operation == FileOperation::kFinishTable) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  auto db = DB::Open(options, "/db");
  ASSERT_TRUE(db.ok()) << db.status();
  auto written = std::async(std::launch::async, [&] {
    absl::Status status;
    for (uint64_t i = 0; i < 3000 && status.ok(); ++i) {
      status = (*db)->Put(NumberKey(i * 7 % 1000), NoiseBytes(i, 200));
    }
    return status;
  });
  ASSERT_EQ(written.wait_for(kPatience), std::future_status::ready) << "a writer is stopped";
  EXPECT_EQ(written.get(), absl::OkStatus());
  EXPECT_EQ((*db)->Close(), absl::OkStatus());
}

}  // namespace
}  // namespace siltstone
