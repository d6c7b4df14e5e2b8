#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/test_database.h"
#include "tests/support/temporary_directory.h"

// What was taken from a database may outlive it.

namespace siltstone {
namespace {

// Small (inline), medium (copied) and large (pinned).
const std::vector<size_t> kValueSizes = {0, 1, 120, 121, 4096, 4097, 100'000};

class Lifetime : public ::testing::TestWithParam<bool> {
 protected:
  // In a memtable, or in tables.
  void Fill(TestDatabase* db) {
    for (const size_t size : kValueSizes) db->Put(NumberKey(size), NoiseBytes(size, size));
    if (GetParam()) db->CompactAll();
  }
};
INSTANTIATE_TEST_SUITE_P(Where, Lifetime, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Tables" : "Memtable"; });

TEST_P(Lifetime, ValuesOutliveTheDatabaseAndTheirFiles) {
  TestDatabase db;
  Fill(&db);
  std::vector<PinnedValue> values;
  for (const size_t size : kValueSizes) {
    DB::GetResult result = db->Get(NumberKey(size));
    ASSERT_TRUE(result.ok() && result->has_value());
    values.push_back(*std::move(*result));
  }
  for (const size_t size : kValueSizes) db.Put(NumberKey(size), "overwritten");
  db.CompactAll();
  db.Destroy();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(values[i].view() == NoiseBytes(kValueSizes[i], kValueSizes[i])) << kValueSizes[i];
  }
  // On another thread too.
  std::thread([moved = std::move(values)]() mutable { moved.clear(); }).join();
}

TEST_P(Lifetime, MultiGetValuesOutliveTheDatabase) {
  TestDatabase db;
  Fill(&db);
  std::vector<std::string> keys;
  for (const size_t size : kValueSizes) keys.push_back(NumberKey(size));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<DB::GetResult> results(keys.size());
  db->MultiGet(views, std::span(results));
  db.Destroy();
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(TestDatabase::Text(results[i]), NoiseBytes(kValueSizes[i], kValueSizes[i]));
  }
}

TEST_P(Lifetime, AnIteratorOutlivesTheDatabaseAndItsFiles) {
  TestDatabase db;
  for (int i = 0; i < 2000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 60));
  if (GetParam()) db.CompactAll();
  std::unique_ptr<Iterator> it = db->NewIterator();
  std::unique_ptr<Iterator> untouched = db->NewIterator();
  it->Seek(NumberKey(1000));
  for (int i = 0; i < 2000; ++i) db.Delete(NumberKey(i));
  db.CompactAll();
  db.Close();
  for (int i = 1000; i < 2000; ++i) {
    ASSERT_TRUE(it->Valid()) << i << " " << it->status();
    ASSERT_EQ(it->key(), NumberKey(i));
    ASSERT_TRUE(it->value() == NoiseBytes(i, 60));
    it->Next();
  }
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status(), absl::OkStatus());
  int count = 0;
  for (untouched->SeekToLast(); untouched->Valid(); untouched->Prev()) ++count;
  EXPECT_EQ(count, 2000);
  EXPECT_EQ(untouched->status(), absl::OkStatus());
}

TEST_P(Lifetime, ASnapshotOutlivesTheDatabase) {
  TestDatabase db;
  Fill(&db);
  auto snapshot = std::make_unique<Snapshot>(db->GetSnapshot());
  const uint64_t number = snapshot->sequence_number();
  db.Close();
  EXPECT_EQ(snapshot->sequence_number(), number);
  db.Open();
  EXPECT_TRUE(absl::IsInvalidArgument(db->Get("a", {.snapshot = snapshot.get()}).status()))
      << "it belongs to the former DB object";
  snapshot.reset();
}

TEST(LifetimeOfFiles, ObsoleteTablesGoWhenTheLastIteratorGoes) {
  TestDatabase db;
  for (int i = 0; i < 2000; ++i) db.Put(NumberKey(i), NoiseBytes(i, 60));
  db.CompactAll();
  std::unique_ptr<Iterator> it = db->NewIterator();
  it->SeekToFirst();
  for (int i = 0; i < 2000; ++i) db.Put(NumberKey(i), NoiseBytes(i + 1, 60));
  db.CompactAll();
  it.reset();
  db.Put("one", "more");
  db.CompactAll();  // a job ends, and files that have become obsolete are deleted
  size_t files = 0;
  for (const DirectoryEntry& entry : FilesOf(*db.options().file_system, "/db")) {
    files += entry.name.ends_with(".sst") ? 1 : 0;
  }
  EXPECT_EQ(files, db->GetStatistics().tables.size());
}

// An iterator keeps tables that were compacted away. When it ends, the database that stands there may be another
// one, whose files bear the same names.
TEST(IteratorOfAClosedDatabase, DeletesNoFileOfANewDatabaseInItsPlace) {
  TestDatabase db;
  FileSystem& files = *db.options().file_system;
  const auto fill = [&](int seed) {
    for (int i = 0; i < 3000; ++i) db.Put(NumberKey(i), NoiseBytes(seed, 100));
    db.Flush();
  };
  fill(1);
  auto it = db->NewIterator();
  it->SeekToFirst();
  fill(2);
  db.CompactAll();
  db.Close();
  for (const DirectoryEntry& entry : FilesOf(files, "/db")) {
    ASSERT_EQ(files.DeleteFile("/db/" + entry.name), absl::OkStatus());
  }
  db.Open();
  fill(3);
  it.reset();
  db.Reopen();
  EXPECT_EQ(db.Get(NumberKey(7)), NoiseBytes(3, 100));
  EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
}

// A child of a fork has a copy of the object, but neither its threads nor its files.
TEST(Fork, AChildsCopyWritesNothingAndWaitsForNobody) {
  TemporaryDirectory directory;
  Options options = SmallOptions();
  options.file_system = nullptr;
  TestDatabase db(options, directory.path() + "/db");
  db.Put("before", "1");
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    bool refused = true;
    for (const absl::Status& status :
         {db->Put("child", "1"), db->PutIfAbsent("child", "1").status(), db->Flush(),
          db->CompactRange(), db->Resume(), db->Close()}) {
      refused = refused && absl::IsFailedPrecondition(status);
    }
    db.Destroy();
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  db.Put("after", "2");
  db.Flush();
  db.Reopen();
  EXPECT_EQ(db.Scan(), "after=2 before=1");
}

}  // namespace
}  // namespace siltstone
