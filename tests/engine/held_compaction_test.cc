#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "siltstone/event_listener.h"

#include "tests/engine/test_database.h"

// Jobs that overlap in time: one is held while others install their results.

namespace siltstone {
namespace {

// Holds the first compaction that begins until it is let go.
class Holder final : public EventListener {
 public:
  void OnCompactionBegin(const JobInfo& job) override {
    std::unique_lock lock(mutex_);
    if (held_job_ != 0 || released_) return;
    held_job_ = job.job_id;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_; });
  }
  void OnFlushEnd(const JobInfo& job) override { Ended(job); }
  void OnCompactionEnd(const JobInfo& job) override { Ended(job); }

  void WaitUntilHeld() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_job_ != 0; });
  }
  bool IsHolding() {
    std::lock_guard lock(mutex_);
    return held_job_ != 0 && !released_;
  }
  // How many other jobs, of this kind, ended while the one was held.
  int ended_beside(bool flushes) {
    std::lock_guard lock(mutex_);
    return flushes ? flushes_beside_ : compactions_beside_;
  }
  void Release() {
    std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  void Ended(const JobInfo& job) {
    EXPECT_TRUE(job.status.ok() || absl::IsCancelled(job.status)) << job.status;
    std::lock_guard lock(mutex_);
    if (held_job_ == 0 || released_ || job.job_id == held_job_) return;
    ++(job.input_level < 0 ? flushes_beside_ : compactions_beside_);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t held_job_ = 0;
  bool released_ = false;
  int flushes_beside_ = 0;
  int compactions_beside_ = 0;
};

Options HeldOptions(std::shared_ptr<Holder> holder, int jobs) {
  Options options = SmallOptions();
  options.write_buffer_size_bytes = size_t{8} << 10;
  options.memory_budget_bytes = size_t{2} << 20;
  options.max_background_jobs = jobs;
  options.durability = Durability::kBuffered;
  options.listener = std::move(holder);
  return options;
}

TEST(HeldCompaction, OthersInstallMeanwhileAndAllDataIsRight) {
  constexpr int kKeys = 1500;
  const auto holder = std::make_shared<Holder>();
  TestDatabase db(HeldOptions(holder, 4));
  std::vector<int> newest(kKeys, -1);
  int round = 0;
  const auto write_round = [&](int stride) {
    for (int i = round % stride; i < kKeys; i += stride) {
      db.Put(NumberKey(i), std::to_string(round) + ":" + NoiseBytes(i, 40));
      newest[i] = round;
    }
    ++round;
  };
  const auto check = [&] {
    for (int i = 0; i < kKeys; ++i) {
      const std::string expected =
          newest[i] < 0 ? "(absent)" : std::to_string(newest[i]) + ":" + NoiseBytes(i, 40);
      ASSERT_EQ(db.Get(NumberKey(i)), expected) << i;
    }
  };
  while (!holder->IsHolding()) write_round(3);
  const Snapshot snapshot = db->GetSnapshot();
  const std::string at_snapshot = db.Scan({.snapshot = &snapshot});
  const std::unique_ptr<Iterator> held = db->NewIterator();
  // Until writers would stop for the runs that pile up on level 0.
  for (int i = 0; i < 4; ++i) write_round(7);
  db.Flush();
  check();
  EXPECT_GE(holder->ended_beside(/*flushes=*/true), 1);
  holder->Release();
  db.CompactAll();
  check();
  EXPECT_EQ(db.Scan({.snapshot = &snapshot}), at_snapshot);
  std::string walked;
  for (held->SeekToFirst(); held->Valid(); held->Next()) {
    if (!walked.empty()) walked += ' ';
    walked.append(held->key()).append("=").append(held->value());
  }
  EXPECT_EQ(walked, at_snapshot);
  EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
  db.Reopen();
  check();
}

TEST(HeldCompaction, AManualCompactionOfOtherKeysRunsBesideIt) {
  const auto holder = std::make_shared<Holder>();
  TestDatabase db(HeldOptions(holder, 4));
  // Two groups of tables below level 0 that do not overlap, so that one can be held and one compacted.
  for (int i = 0; i < 200; ++i) db.Put("a" + NumberKey(i), NoiseBytes(i, 20));
  std::thread held([&] { EXPECT_EQ(db->CompactRange("a", "b"), absl::OkStatus()); });
  holder->WaitUntilHeld();
  for (int i = 0; i < 200; ++i) db.Put("z" + NumberKey(i), NoiseBytes(i, 20));
  db.Flush();
  for (int i = 0; i < 200; ++i) db.Delete("z" + NumberKey(i));
  EXPECT_EQ(db->CompactRange("z", "zz"), absl::OkStatus());
  EXPECT_GE(holder->ended_beside(/*flushes=*/false), 1);
  EXPECT_TRUE(holder->IsHolding());
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(db.Get("a" + NumberKey(i)), NoiseBytes(i, 20));
    ASSERT_EQ(db.Get("z" + NumberKey(i)), "(absent)");
  }
  holder->Release();
  held.join();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(db.Get("a" + NumberKey(i)), NoiseBytes(i, 20));
    ASSERT_EQ(db.Get("z" + NumberKey(i)), "(absent)");
  }
  db.CompactAll();
  uint64_t entries = 0;
  for (const LevelStatistics& level : db->GetStatistics().levels) entries += level.entries;
  EXPECT_EQ(entries, 200u);
  db.Reopen();
  EXPECT_EQ(db.Get("a" + NumberKey(7)), NoiseBytes(7, 20));
}

TEST(HeldCompaction, WithOneJobFlushesStillRunBesideIt) {
  const auto holder = std::make_shared<Holder>();
  TestDatabase db(HeldOptions(holder, 1));
  int written = 0;
  while (!holder->IsHolding()) {
    db.Put(NumberKey(written % 1000), NoiseBytes(written, 40));
    ++written;
  }
  const uint64_t flushes = db->GetStatistics().flushes;
  db.Put("one", "more");
  db.Flush();
  EXPECT_GT(db->GetStatistics().flushes, flushes);
  EXPECT_GT(holder->ended_beside(true), 0);
  EXPECT_EQ(holder->ended_beside(false), 0);
  holder->Release();
}

TEST(HeldCompaction, CloseWaitsForItToEndEarly) {
  const auto holder = std::make_shared<Holder>();
  TestDatabase db(HeldOptions(holder, 2));
  int written = 0;
  while (!holder->IsHolding()) {
    db.Put(NumberKey(written % 1000), NoiseBytes(written, 40));
    ++written;
  }
  const std::string before = db.Scan();
  std::thread release([&] { holder->Release(); });
  db.Reopen();
  release.join();
  EXPECT_EQ(db.Scan(), before);
}

// Holds the first move of a table out of level 1 until a compaction out of level 0 begins.
class MoveHolder final : public EventListener {
 public:
  void OnCompactionBegin(const JobInfo& job) override {
    std::unique_lock lock(mutex_);
    if (job.input_level == 0 && holding_) released_ = true;
    if (job.input_level == 1 && !holding_) {
      holding_ = true;
      EXPECT_TRUE(job.trivial_move);
      changed_.notify_all();
      changed_.wait(lock, [this] { return released_; });
    }
    changed_.notify_all();
  }
  void OnCompactionEnd(const JobInfo& job) override {
    std::lock_guard lock(mutex_);
    if (job.input_level == 0) ++level0_compactions_;
    changed_.notify_all();
  }

  void WaitUntilHeld() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return holding_; });
  }
  void WaitUntilLevel0Compacted(int times) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, times] { return level0_compactions_ >= times; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool holding_ = false;
  bool released_ = false;
  int level0_compactions_ = 0;
};

TEST(HeldCompaction, WhatItCarriesBelowTheDeepestLevelAManualCompactionFinds) {
  const auto holder = std::make_shared<MoveHolder>();
  Options options = HeldOptions(nullptr, 1);
  options.listener = holder;
  options.write_buffer_size_bytes = size_t{64} << 10;
  TestDatabase db(options);
  // Snapshots keep both the values and the tombstones over them. Level 0 is empty when the move is held, since all
  // its tables went to level 1 before: nothing of the held keys lies above.
  std::vector<Snapshot> snapshots;
  for (int compactions = 1;
       db->GetStatistics().levels[1].size_bytes <= 4 * options.write_buffer_size_bytes;
       ++compactions) {
    for (int flushes = 0; flushes < 4; ++flushes) {
      for (int i = 0; i < 250; ++i) db.Put(NumberKey(i), NoiseBytes(i, 60));
      snapshots.push_back(db->GetSnapshot());
      for (int i = 0; i < 250; ++i) db.Delete(NumberKey(i));
      db.Flush();
    }
    holder->WaitUntilLevel0Compacted(compactions);
  }
  holder->WaitUntilHeld();
  snapshots.clear();
  db.Put("z", "alone");
  db.Flush();
  db.CompactAll();
  const Statistics statistics = db->GetStatistics();
  uint64_t entries = 0;
  for (const LevelStatistics& level : statistics.levels) entries += level.entries;
  EXPECT_EQ(entries, 1u) << "more than the entry of z";
  EXPECT_GE(statistics.trivial_moves, 1u);
}

// A listener may use the database it is told of.
class ReadingListener final : public EventListener {
 public:
  void OnFlushEnd(const JobInfo&) override { Use(); }
  void OnCompactionBegin(const JobInfo&) override { Use(); }
  void OnCompactionEnd(const JobInfo&) override { Use(); }
  void Attach(DB* db) { db_.store(db); }
  int uses() const { return uses_.load(); }

 private:
  void Use() {
    DB* const db = db_.load();
    if (db == nullptr) return;
    EXPECT_TRUE(db->Get("key").ok());
    EXPECT_EQ(db->Put("from the listener", "1"), absl::OkStatus());
    db->GetStatistics();
    uses_.fetch_add(1);
  }

  std::atomic<DB*> db_{nullptr};
  std::atomic<int> uses_{0};
};

TEST(HeldCompaction, AListenerMayReadAndWriteTheDatabase) {
  const auto listener = std::make_shared<ReadingListener>();
  Options options = SmallOptions();
  options.listener = listener;
  TestDatabase db(options);
  listener->Attach(&*db);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 300; ++i) db.Put(NumberKey(i), NoiseBytes(i, 40));
    db.CompactAll();
  }
  EXPECT_GT(listener->uses(), 3);
  EXPECT_EQ(db.Get("from the listener"), "1");
  listener->Attach(nullptr);
}

}  // namespace
}  // namespace siltstone
