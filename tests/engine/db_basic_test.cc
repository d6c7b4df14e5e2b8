#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/test_database.h"

// Reads and writes through the public surface: what each call promises.

namespace siltstone {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kNulKey("\0\0", 2);

TEST(DbBasic, WhatIsPutCanBeRead) {
  TestDatabase db;
  EXPECT_EQ(db.Get("key"), "(absent)");
  db.Put("key", "one");
  EXPECT_EQ(db.Get("key"), "one");
  db.Put("key", "two");
  EXPECT_EQ(db.Get("key"), "two");
  EXPECT_EQ(db.Get("ke"), "(absent)");
  EXPECT_EQ(db.Get("key2"), "(absent)");
}

TEST(DbBasic, DeletingHidesAndDeletingNothingIsFine) {
  TestDatabase db;
  db.Delete("never there");
  db.Put("key", "value");
  db.Delete("key");
  EXPECT_EQ(db.Get("key"), "(absent)");
  db.Flush();
  EXPECT_EQ(db.Get("key"), "(absent)");
  db.Put("key", "again");
  EXPECT_EQ(db.Get("key"), "again");
}

TEST(DbBasic, ATombstoneHidesTheValueOfAnOlderTable) {
  TestDatabase db;
  db.Put("key", "value");
  db.CompactAll();
  db.Delete("key");
  db.Flush();
  EXPECT_EQ(db.Get("key"), "(absent)");
  EXPECT_EQ(db.Scan(), "");
  db.CompactAll();
  EXPECT_EQ(db.Get("key"), "(absent)");
  EXPECT_EQ(db->GetStatistics().tables.size(), 0u);
}

// The same database from its memtable, from a table, after a compaction, and opened again.
class AnyBytes : public ::testing::TestWithParam<const char*> {
 protected:
  void Settle(TestDatabase* db) {
    const std::string_view where = GetParam();
    if (where == "flushed") db->Flush();
    if (where == "compacted") db->CompactAll();
    if (where == "reopened") db->Reopen();
    if (where == "recovered") {
      db->Destroy();
      db->Open();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Where, AnyBytes,
                         ::testing::Values("memtable", "flushed", "compacted", "reopened",
                                           "recovered"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(AnyBytes, EmptyKeyAndEmptyValue) {
  TestDatabase db;
  db.Put("", "of the empty key");
  db.Put("empty value", "");
  Settle(&db);
  EXPECT_EQ(db.Get(""), "of the empty key");
  EXPECT_EQ(db.Get("empty value"), "");
  EXPECT_EQ(db.Scan(), "=of the empty key empty value=");
  EXPECT_EQ(db.ReverseScan(), "empty value= =of the empty key");
  db.Delete("");
  EXPECT_EQ(db.Get(""), "(absent)");
}

TEST_P(AnyBytes, EveryByteInKeysAndValues) {
  TestDatabase db;
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    db.Put(std::string(1, static_cast<char>(byte)), std::string(2, static_cast<char>(byte)));
    all.push_back(static_cast<char>(byte));
  }
  db.Put(kNulKey, all);
  db.Put(all, kNulKey);
  db.Put(std::string(300, '\xff'), "last");
  Settle(&db);
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(db.Get(std::string(1, static_cast<char>(byte))),
              std::string(2, static_cast<char>(byte)));
  }
  EXPECT_EQ(db.Get(kNulKey), all);
  EXPECT_EQ(db.Get(all), kNulKey);
  const auto it = db->NewIterator();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), std::string_view("\0", 1));
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "last");
}

TEST_P(AnyBytes, KeyOf8MiBAndValueOf64MiB) {
  TestDatabase db;
  std::string key = NoiseBytes(1, size_t{8} << 20);
  const std::string value = NoiseBytes(2, size_t{64} << 20);
  db.Put(key, value);
  db.Put("small", "value");
  Settle(&db);
  EXPECT_EQ(db.Get("small"), "value");
  const auto result = db->Get(key);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->has_value());
  EXPECT_TRUE((*result)->view() == value);
  key.back() = static_cast<char>(key.back() + 1);
  EXPECT_EQ(db.Get(key), "(absent)");
  EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
}

TEST_P(AnyBytes, ABatchLargerThanTheMemtable) {
  TestDatabase db;
  WriteBatch batch;
  for (int i = 0; i < 2000; ++i) batch.Put(NumberKey(i), NoiseBytes(i, 200));
  ASSERT_GT(batch.size_bytes(), 4 * db.options().write_buffer_size_bytes);
  EXPECT_EQ(db->Write(batch), absl::OkStatus());
  Settle(&db);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(db.Get(NumberKey(i)), NoiseBytes(i, 200)) << i;
}

TEST(DbBasic, KeysAndValuesBeyondTheLimitsAreRefused) {
  TestDatabase db;
  const std::string key((size_t{64} << 20) + 1, 'k');
  const absl::Status status = db->Put(key, "");
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("67108864"));
  EXPECT_TRUE(absl::IsInvalidArgument(db->Delete(key)));
  EXPECT_TRUE(absl::IsInvalidArgument(db->PutIfAbsent(key, "").status()));
  EXPECT_EQ(db.Get("anything"), "(absent)");
  db.Put("still", "writable");
  EXPECT_EQ(db.Get(key), "(absent)");
}

TEST(DbBasic, LaterEntriesOfABatchWin) {
  TestDatabase db;
  WriteBatch batch;
  batch.Put("a", "1");
  batch.Delete("a");
  batch.Put("b", "1");
  batch.Put("b", "2");
  batch.Delete("c");
  batch.Put("c", "3");
  EXPECT_EQ(db->Write(batch), absl::OkStatus());
  EXPECT_EQ(db.Scan(), "b=2 c=3");
  db.Reopen();
  EXPECT_EQ(db.Scan(), "b=2 c=3");
}

TEST(DbBasic, ABatchIsNotChangedAndMayBeWrittenAgain) {
  TestDatabase db;
  TestDatabase other;
  WriteBatch batch;
  batch.Put("a", "1");
  EXPECT_EQ(db->Write(batch), absl::OkStatus());
  EXPECT_EQ(batch.count(), 1u);
  db.Delete("a");
  EXPECT_EQ(db->Write(batch), absl::OkStatus());
  EXPECT_EQ(other->Write(batch), absl::OkStatus());
  EXPECT_EQ(db.Scan(), "a=1");
  EXPECT_EQ(other.Scan(), "a=1");
}

TEST(DbBasic, AnEmptyBatchIsFine) {
  TestDatabase db;
  WriteBatch batch;
  EXPECT_EQ(db->Write(batch), absl::OkStatus());
  db.Put("a", "1");
  EXPECT_EQ(db->Write(batch), absl::OkStatus());
  db.Reopen();
  EXPECT_EQ(db.Scan(), "a=1");
}

TEST(DbBasic, PutIfAbsentInsertsOnce) {
  TestDatabase db;
  const auto insert = [&](std::string_view key, std::string_view value) {
    const absl::StatusOr<bool> inserted = db->PutIfAbsent(key, value);
    EXPECT_TRUE(inserted.ok()) << inserted.status();
    return inserted.ok() && *inserted;
  };
  EXPECT_TRUE(insert("key", "first"));
  EXPECT_FALSE(insert("key", "second"));
  db.Flush();
  EXPECT_FALSE(insert("key", "third"));
  EXPECT_EQ(db.Get("key"), "first");
  db.Delete("key");
  EXPECT_TRUE(insert("key", "fourth"));
  db.CompactAll();
  EXPECT_FALSE(insert("key", "fifth"));
  db.Reopen();
  EXPECT_FALSE(insert("key", "sixth"));
  EXPECT_EQ(db.Get("key"), "fourth");
  EXPECT_TRUE(insert("", ""));
  EXPECT_FALSE(insert("", "x"));
}

TEST(DbBasic, OfFourThreadsExactlyOneInsertsAKey) {
  constexpr int kThreads = 4;
  constexpr int kKeys = 3000;
  Options options = SmallOptions();
  options.write_buffer_size_bytes = size_t{16} << 10;  // memtables are switched during the race
  TestDatabase db(options);
  std::vector<std::vector<bool>> inserted(kThreads, std::vector<bool>(kKeys));
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ready.fetch_add(1);
      while (ready.load() < kThreads) std::this_thread::yield();
      for (int i = 0; i < kKeys; ++i) {
        const absl::StatusOr<bool> result = db->PutIfAbsent(NumberKey(i), std::to_string(t));
        EXPECT_TRUE(result.ok()) << result.status();
        inserted[t][i] = result.ok() && *result;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kKeys; ++i) {
    int count = 0;
    int winner = -1;
    for (int t = 0; t < kThreads; ++t) {
      if (!inserted[t][i]) continue;
      ++count;
      winner = t;
    }
    ASSERT_EQ(count, 1) << i;
    ASSERT_EQ(db.Get(NumberKey(i)), std::to_string(winner)) << i;
  }
}

TEST(DbBasic, MultiGetAnswersAsTheGetsDo) {
  TestDatabase db;
  for (int i = 0; i < 3000; i += 2) db.Put(NumberKey(i), "old");
  db.CompactAll();
  for (int i = 0; i < 3000; i += 3) db.Put(NumberKey(i), NoiseBytes(i, 50));
  db.Flush();
  for (int i = 0; i < 3000; i += 5) db.Delete(NumberKey(i));
  std::vector<std::string> keys;
  for (int i = 2999; i >= 0; i -= 7) keys.push_back(NumberKey(i));
  keys.push_back(keys.front());  // the same key twice
  keys.push_back("");
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<DB::GetResult> results(keys.size());
  db->MultiGet(views, std::span(results));
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(TestDatabase::Text(results[i]), db.Get(keys[i])) << keys[i];
  }
  db->MultiGet({}, {});
}

TEST(DbBasic, MultiGetOfUnequalSpansIsAnErrorInEverySlot) {
  TestDatabase db;
  db.Put("a", "1");
  const std::array<std::string_view, 2> keys = {"a", "b"};
  for (const size_t slots : {size_t{0}, size_t{1}, size_t{3}}) {
    std::vector<DB::GetResult> results(slots);
    db->MultiGet(keys, std::span(results));
    for (const DB::GetResult& result : results) {
      EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << result.status();
    }
  }
}

TEST(DbBasic, MayContainIsNeverFalseForAKeyThatIsThere) {
  TestDatabase db;
  EXPECT_FALSE(db->MayContain("key"));
  for (int i = 0; i < 4000; ++i) {
    db.Put(NumberKey(i), NoiseBytes(i, 30));
    EXPECT_TRUE(db->MayContain(NumberKey(i)));
  }
  db.Flush();
  int maybe = 0;
  for (int i = 0; i < 4000; ++i) {
    ASSERT_TRUE(db->MayContain(NumberKey(i))) << i;
    maybe += db->MayContain(NumberKey(i) + "?") ? 1 : 0;
  }
  EXPECT_LT(maybe, 400);
  const Statistics statistics = db->GetStatistics();
  EXPECT_EQ(statistics.blocks_read, 0u) << "MayContain reads memory only";
}

TEST(DbBasic, ASnapshotKeepsItsState) {
  TestDatabase db;
  db.Put("a", "1");
  db.Put("b", "1");
  const Snapshot snapshot = db->GetSnapshot();
  EXPECT_EQ(snapshot.sequence_number(), db->GetStatistics().last_sequence);
  db.Put("a", "2");
  db.Delete("b");
  db.Put("c", "2");
  const auto check = [&] {
    EXPECT_EQ(db.Get("a", {.snapshot = &snapshot}), "1");
    EXPECT_EQ(db.Get("b", {.snapshot = &snapshot}), "1");
    EXPECT_EQ(db.Get("c", {.snapshot = &snapshot}), "(absent)");
    EXPECT_EQ(db.Scan({.snapshot = &snapshot}), "a=1 b=1");
    EXPECT_EQ(db.ReverseScan({.snapshot = &snapshot}), "b=1 a=1");
    EXPECT_EQ(db.Scan(), "a=2 c=2");
    const std::array<std::string_view, 3> keys = {"a", "b", "c"};
    std::array<DB::GetResult, 3> results;
    db->MultiGet(keys, results, {.snapshot = &snapshot});
    EXPECT_EQ(TestDatabase::Text(results[1]), "1");
    EXPECT_EQ(TestDatabase::Text(results[2]), "(absent)");
  };
  check();
  db.Flush();
  check();
  db.CompactAll();
  check();
  EXPECT_EQ(db->GetStatistics().snapshots, 1u);
}

TEST(DbBasic, DroppedSnapshotsSetTheirVersionsFree) {
  TestDatabase db;
  db.Put("a", "1");
  {
    const Snapshot snapshot = db->GetSnapshot();
    db.Delete("a");
    db.CompactAll();
    EXPECT_EQ(db.Get("a", {.snapshot = &snapshot}), "1");
    EXPECT_FALSE(db->GetStatistics().tables.empty());
  }
  EXPECT_EQ(db->GetStatistics().snapshots, 0u);
  db.CompactAll();
  EXPECT_TRUE(db->GetStatistics().tables.empty());
}

TEST(DbBasic, ASnapshotOfAnotherDatabaseIsInvalidArgument) {
  TestDatabase db;
  TestDatabase other;
  db.Put("a", "1");
  other.Put("a", "2");
  const Snapshot foreign = other->GetSnapshot();
  Snapshot moved_from = db->GetSnapshot();
  const Snapshot moved_to = std::move(moved_from);
  const Snapshot empty;
  EXPECT_EQ(empty.sequence_number(), 0u);
  for (const Snapshot* wrong : {&foreign, &empty, static_cast<const Snapshot*>(&moved_from)}) {
    const ReadOptions read{.snapshot = wrong};
    EXPECT_TRUE(absl::IsInvalidArgument(db->Get("a", read).status()));
    const std::array<std::string_view, 1> keys = {"a"};
    std::array<DB::GetResult, 1> results;
    db->MultiGet(keys, results, read);
    EXPECT_TRUE(absl::IsInvalidArgument(results[0].status()));
    const auto it = db->NewIterator(read);
    ASSERT_NE(it, nullptr);
    it->SeekToFirst();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(absl::IsInvalidArgument(it->status())) << it->status();
  }
  EXPECT_EQ(db.Get("a", {.snapshot = &moved_to}), "1");
}

TEST(DbBasic, IteratorsRespectBoundsAndPrefix) {
  TestDatabase db;
  for (const char* key : {"a", "ab", "abc", "b", "ba", "c"}) db.Put(key, "1");
  const auto check = [&] {
    EXPECT_EQ(db.Scan({.lower_bound = "ab"}), "ab=1 abc=1 b=1 ba=1 c=1");
    EXPECT_EQ(db.Scan({.lower_bound = "aa", .upper_bound = "b"}), "ab=1 abc=1");
    EXPECT_EQ(db.ReverseScan({.upper_bound = "b"}), "abc=1 ab=1 a=1");
    EXPECT_EQ(db.Scan({.prefix = "a"}), "a=1 ab=1 abc=1");
    EXPECT_EQ(db.ReverseScan({.prefix = "a"}), "abc=1 ab=1 a=1");
    EXPECT_EQ(db.Scan({.prefix = ""}), "a=1 ab=1 abc=1 b=1 ba=1 c=1");
    EXPECT_EQ(db.Scan({.lower_bound = "ab", .upper_bound = "abc", .prefix = "a"}), "ab=1");
    EXPECT_EQ(db.Scan({.lower_bound = "c", .upper_bound = "a"}), "");
    EXPECT_EQ(db.Scan({.upper_bound = ""}), "");
    EXPECT_EQ(db.Scan({.prefix = "x"}), "");
    const auto it = db->NewIterator({.lower_bound = "ab", .upper_bound = "ba"});
    it->Seek("a");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), "ab");
    it->Prev();
    EXPECT_FALSE(it->Valid());
    it->SeekForPrev("z");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), "b");
    it->Next();
    EXPECT_FALSE(it->Valid());
    it->SeekForPrev("a");
    EXPECT_FALSE(it->Valid());
    it->Seek("ba");
    EXPECT_FALSE(it->Valid());
    EXPECT_EQ(it->status(), absl::OkStatus());
  };
  check();
  db.Flush();
  check();
}

TEST(DbBasic, APrefixOfOnes) {
  TestDatabase db;
  db.Put("\xfe", "0");
  db.Put("\xff\xff", "1");
  db.Put("\xff\xff\xff", "2");
  EXPECT_EQ(db.Scan({.prefix = "\xff\xff"}), "\xff\xff=1 \xff\xff\xff=2");
  EXPECT_EQ(db.ReverseScan({.prefix = "\xff"}), "\xff\xff\xff=2 \xff\xff=1");
}

TEST(DbBasic, AnIteratorSeesTheStateItWasMadeAt) {
  TestDatabase db;
  db.Put("a", "1");
  db.Put("c", "1");
  const auto it = db->NewIterator();
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status(), absl::OkStatus());
  db.Put("b", "2");
  db.Delete("c");
  db.CompactAll();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "a");
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "c");
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "a");
  it->Next();
  it->Next();
  EXPECT_FALSE(it->Valid());
}

TEST(DbBasic, APrefixNeedsTheBytewiseComparator) {
  static const ReverseComparator reverse;
  Options options = SmallOptions();
  options.comparator = &reverse;
  TestDatabase db(options);
  for (const char* key : {"a", "b", "c", ""}) db.Put(key, "1");
  EXPECT_EQ(db.Scan(), "c=1 b=1 a=1 =1");
  EXPECT_EQ(db.Scan({.lower_bound = "c", .upper_bound = "a"}), "c=1 b=1");
  db.CompactAll();
  EXPECT_EQ(db.ReverseScan(), "=1 a=1 b=1 c=1");
  const auto it = db->NewIterator({.prefix = "a"});
  ASSERT_NE(it, nullptr);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(absl::IsInvalidArgument(it->status())) << it->status();
}

TEST(DbBasic, ADurabilityOfNoneIsNoChoiceOfAWrite) {
  TestDatabase db;
  const WriteOptions none{.durability = Durability::kNone};
  WriteBatch batch;
  batch.Put("a", "1");
  EXPECT_TRUE(absl::IsInvalidArgument(db->Put("a", "1", none)));
  EXPECT_TRUE(absl::IsInvalidArgument(db->Delete("a", none)));
  EXPECT_TRUE(absl::IsInvalidArgument(db->Write(batch, none)));
  EXPECT_TRUE(absl::IsInvalidArgument(db->PutIfAbsent("a", "1", none).status()));
  EXPECT_EQ(db.Scan(), "");
  for (const Durability durability : {Durability::kSync, Durability::kBuffered}) {
    EXPECT_EQ(db->Put("a", "1", {.durability = durability}), absl::OkStatus());
  }
}

TEST(DbBasic, CompactRangeOfAPartLeavesTheRest) {
  TestDatabase db;
  for (int i = 0; i < 3000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 100));
  for (int i = 0; i < 3000; i += 2) db.Delete(NumberKey(i));
  EXPECT_EQ(db->CompactRange(NumberKey(100), NumberKey(200)), absl::OkStatus());
  EXPECT_EQ(db->CompactRange({}, NumberKey(50)), absl::OkStatus());
  EXPECT_EQ(db->CompactRange(NumberKey(2900), {}), absl::OkStatus());
  EXPECT_EQ(db->CompactRange("x", "a"), absl::OkStatus());
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(db.Get(NumberKey(i)), i % 2 == 0 ? "(absent)" : NoiseBytes(i, 100)) << i;
  }
  EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
}

TEST(DbBasic, FlushAndCompactRangeOfAnEmptyDatabaseDoNothing) {
  TestDatabase db;
  db.Flush();
  db.CompactAll();
  EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
  EXPECT_EQ(db->Resume(), absl::OkStatus());
  EXPECT_EQ(db->GetStatistics().flushes, 0u);
  EXPECT_TRUE(db->GetStatistics().tables.empty());
}

}  // namespace
}  // namespace siltstone
