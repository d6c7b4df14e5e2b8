#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/test_database.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temporary_directory.h"

// Open and Close: what is refused and what stays unchanged then, who may have a database open, what a closed one does.

namespace siltstone {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(DbOpen, EveryFaultOfTheOptionsIsNamedInOneError) {
  Options options = SmallOptions();
  options.bloom_filter_fp_chance = 1.5;
  options.block_size_bytes = 1;
  options.write_buffer_size_bytes = 100;
  options.memory_budget_bytes = 5;
  options.max_background_jobs = 0;
  options.filter_kind = static_cast<FilterKind>(9);
  options.comparator = nullptr;
  const auto db = DB::Open(options, "/db");
  ASSERT_TRUE(absl::IsInvalidArgument(db.status())) << db.status();
  EXPECT_THAT(Message(db.status()),
              AllOf(HasSubstr("bloom_filter_fp_chance is 1.5"), HasSubstr("block_size_bytes is 1"),
                    HasSubstr("write_buffer_size_bytes is 100"),
                    HasSubstr("memory_budget_bytes is 5"), HasSubstr("max_background_jobs is 0"),
                    HasSubstr("filter_kind"), HasSubstr("comparator")));
  EXPECT_TRUE(options.file_system->ListDirectory("/")->empty());
}

TEST(DbOpen, AFilterChanceIsAboveZeroAndAtMostOne) {
  for (const double chance :
       {0.0, -0.1, 1.0001, std::nan(""), -std::nan(""), std::numeric_limits<double>::infinity()}) {
    Options options = SmallOptions();
    options.bloom_filter_fp_chance = chance;
    EXPECT_TRUE(absl::IsInvalidArgument(DB::Open(options, "/db").status())) << chance;
  }
  for (const double chance : {1.0, 0.999, 1e-9}) {
    Options options = SmallOptions();
    options.bloom_filter_fp_chance = chance;
    EXPECT_EQ(DB::Open(options, "/db").status(), absl::OkStatus()) << chance;
  }
}

TEST(DbOpen, ChoicesOfLaterVersionsAreRefused) {
  std::vector<Options> all(6, SmallOptions());
  all[0].filter_kind = static_cast<FilterKind>(5);
  all[1].filter_allocation = static_cast<FilterAllocation>(2);
  all[2].compaction_style = CompactionStyle::kTiered;
  all[3].compaction_style = CompactionStyle::kLazyLeveled;
  all[4].compression = static_cast<Compression>(9);
  all[5].read_only = true;  // beside create_if_missing
  for (const Options& options : all) {
    EXPECT_TRUE(absl::IsInvalidArgument(DB::Open(options, "/db").status()));
  }
}

TEST(DbOpen, AMissingDatabaseIsNotFoundUnlessItIsToBeCreated) {
  Options options = SmallOptions();
  options.create_if_missing = false;
  EXPECT_TRUE(absl::IsNotFound(DB::Open(options, "/db").status()));
  EXPECT_TRUE(options.file_system->ListDirectory("/")->empty());
  ASSERT_EQ(options.file_system->CreateDirectory("/db"), absl::OkStatus());
  EXPECT_TRUE(absl::IsNotFound(DB::Open(options, "/db").status())) << "a folder is no database";
  EXPECT_TRUE(options.file_system->ListDirectory("/db")->empty());
  options.read_only = true;
  EXPECT_TRUE(absl::IsNotFound(DB::Open(options, "/db").status()));
  EXPECT_TRUE(absl::IsNotFound(DB::Open(options, "/elsewhere").status()));
  options.read_only = false;
  options.create_if_missing = true;
  EXPECT_EQ(DB::Open(options, "/db").status(), absl::OkStatus());
  options.create_if_missing = false;
  EXPECT_EQ(DB::Open(options, "/db").status(), absl::OkStatus());
}

TEST(DbOpen, ErrorIfExistsRefusesAnExistingDatabase) {
  TestDatabase db;
  db.Put("a", "1");
  db.Close();
  Options options = db.options();
  options.error_if_exists = true;
  EXPECT_TRUE(absl::IsAlreadyExists(DB::Open(options, "/db").status()));
  EXPECT_EQ(DB::Open(options, "/db2").status(), absl::OkStatus());
  db.Open();
  EXPECT_EQ(db.Get("a"), "1");
}

TEST(DbOpen, ASecondOpenIsAbortedAndSaysWhoHoldsTheLock) {
  const TemporaryDirectory folder;
  Options options = SmallOptions();
  options.file_system = nullptr;
  for (const bool on_disk : {false, true}) {
    if (!on_disk) options.file_system = NewMemoryFileSystem();
    if (on_disk) options.file_system = nullptr;
    TestDatabase db(options, on_disk ? folder.path() + "/db" : "/db");
    db.Put("a", "1");
    const auto second = DB::Open(options, db.path());
    ASSERT_TRUE(absl::IsAborted(second.status())) << second.status();
    EXPECT_THAT(Message(second.status()), HasSubstr("process"));
    EXPECT_EQ(db.Get("a"), "1");
    db.Close();
    EXPECT_EQ(DB::Open(options, db.path()).status(), absl::OkStatus());
  }
}

TEST(DbOpen, AnotherComparatorIsRefused) {
  static const ReverseComparator reverse;
  TestDatabase db;
  db.Put("a", "1");
  db.Close();
  Options options = db.options();
  options.comparator = &reverse;
  const auto wrong = DB::Open(options, "/db");
  ASSERT_TRUE(absl::IsInvalidArgument(wrong.status())) << wrong.status();
  EXPECT_THAT(Message(wrong.status()), HasSubstr("test.reverse"));
  options.read_only = true;
  options.create_if_missing = false;
  EXPECT_TRUE(absl::IsInvalidArgument(DB::Open(options, "/db").status()));
  db.Open();
  EXPECT_EQ(db.Get("a"), "1");
}

TEST(DbOpen, AReadOnlyOpenChangesNothing) {
  TestDatabase db;
  db.Put("a", "1");
  db.CompactAll();
  db.Put("b", "2");
  db.Close();
  const auto before = AllFiles(*db.options().file_system, "/db");
  Options options = db.options();
  options.create_if_missing = false;
  options.read_only = true;
  {
    TestDatabase reader(options);
    EXPECT_EQ(reader.Scan(), "a=1 b=2");
    EXPECT_EQ(reader.Get("b"), "2");
    EXPECT_TRUE(reader->MayContain("a"));
    EXPECT_EQ(reader->VerifyChecksums(), absl::OkStatus());
  }
  EXPECT_EQ(AllFiles(*db.options().file_system, "/db"), before);
}

TEST(DbOpen, AReadOnlyDatabaseRefusesWrites) {
  TestDatabase db;
  db.Put("a", "1");
  db.Close();
  Options options = db.options();
  options.create_if_missing = false;
  options.read_only = true;
  TestDatabase reader(options);
  WriteBatch batch;
  batch.Put("a", "2");
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->Put("a", "2")));
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->Delete("a")));
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->Write(batch)));
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->PutIfAbsent("a", "2").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->PutIfAbsent("z", "2").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->Flush()));
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->CompactRange()));
  EXPECT_EQ(reader.Scan(), "a=1");
  const Snapshot snapshot = reader->GetSnapshot();
  EXPECT_EQ(reader.Get("a", {.snapshot = &snapshot}), "1");
}

TEST(DbOpen, AReaderBesideAWriterKeepsItsState) {
  TestDatabase db;
  for (int i = 0; i < 1000; ++i) db.Put(NumberKey(i), "first");
  Options options = db.options();
  options.create_if_missing = false;
  options.read_only = true;
  TestDatabase reader(options);
  const std::string before = reader.Scan();
  EXPECT_EQ(before, db.Scan());
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 1000; ++i) db.Put(NumberKey(i), NoiseBytes(i + round, 80));
    db.CompactAll();
  }
  EXPECT_EQ(reader.Scan(), before);
  EXPECT_EQ(reader.Get(NumberKey(7)), "first");
  reader.Reopen();
  EXPECT_EQ(reader.Scan(), db.Scan());
}

TEST(DbOpen, ManyReadersOpenWhileAWriterGoesOn) {
  TestDatabase db;
  Options options = db.options();
  options.create_if_missing = false;
  options.read_only = true;
  for (int round = 0; round < 40; ++round) {
    WriteBatch batch;  // both keys are always equal
    batch.Put("left", std::to_string(round));
    batch.Put("right", std::to_string(round));
    EXPECT_EQ(db->Write(batch), absl::OkStatus());
    for (int i = 0; i < 200; ++i) db.Put(NumberKey(i), NoiseBytes(round, 100));
    TestDatabase reader(options);
    EXPECT_EQ(reader.Get("left"), std::to_string(round));
    EXPECT_EQ(reader.Get("right"), std::to_string(round));
  }
}

TEST(DbOpen, AClosedDatabaseRefusesEveryCall) {
  TestDatabase db;
  db.Put("a", "1");
  EXPECT_EQ(db->Close(), absl::OkStatus());
  WriteBatch batch;
  batch.Put("a", "2");
  EXPECT_TRUE(absl::IsFailedPrecondition(db->Put("a", "2")));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->Delete("a")));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->Write(batch)));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->PutIfAbsent("a", "2").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->Get("a").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->Flush()));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->CompactRange()));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->VerifyChecksums()));
  EXPECT_TRUE(absl::IsFailedPrecondition(db->Resume()));
  const auto it = db->NewIterator();
  ASSERT_NE(it, nullptr);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(absl::IsFailedPrecondition(it->status())) << it->status();
  std::vector<std::string_view> keys = {"a"};
  std::vector<DB::GetResult> results(1);
  db->MultiGet(keys, std::span(results));
  EXPECT_TRUE(absl::IsFailedPrecondition(results[0].status()));
  EXPECT_TRUE(db->MayContain("a")) << "false would be a promise";
  db.Destroy();
  db.Open();
  EXPECT_EQ(db.Get("a"), "1");
}

TEST(DbOpen, EverythingIsThereAfterCloseAndAfterDestruction) {
  for (const Durability durability :
       {Durability::kSync, Durability::kBuffered, Durability::kNone}) {
    Options options = SmallOptions();
    options.durability = durability;
    TestDatabase db(options);
    for (int round = 0; round < 6; ++round) {
      for (int i = 0; i < 700; ++i) db.Put(NumberKey(i * 6 + round), NoiseBytes(i, 40));
      if (round % 2 == 0) db.Close();
      db.Destroy();
      db.Open();
      for (int i = 0; i < 700; ++i) {
        ASSERT_EQ(db.Get(NumberKey(i * 6 + round)), NoiseBytes(i, 40)) << round << " " << i;
      }
    }
    EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
  }
}

TEST(DbOpen, AChangeOfDurabilityKeepsTheData) {
  Options options = SmallOptions();
  TestDatabase db(options);
  int written = 0;
  for (const Durability durability : {Durability::kNone, Durability::kSync, Durability::kNone,
                                      Durability::kBuffered, Durability::kSync}) {
    options.durability = durability;
    db.Reopen(options);
    for (int i = 0; i < 100; ++i) db.Put(NumberKey(written++), "v");
    for (int i = 0; i < written; ++i) ASSERT_EQ(db.Get(NumberKey(i)), "v");
  }
}

TEST(DbOpen, ANumberNeverGoesBack) {
  TestDatabase db;
  uint64_t last = 0;
  for (int round = 0; round < 5; ++round) {
    db.Put("a", std::to_string(round));
    if (round == 2) db.CompactAll();
    const uint64_t now = db->GetStatistics().last_sequence;
    EXPECT_GT(now, last);
    last = now;
    db.Reopen();
    EXPECT_GE(db->GetStatistics().last_sequence, last);
  }
}

TEST(DbOpen, APathMayEndInASlashAndAnEmptyOneIsRefused) {
  TestDatabase db;
  db.Put("a", "1");
  db.Close();
  TestDatabase again(db.options(), "/db/");
  EXPECT_EQ(again.Get("a"), "1");
  EXPECT_TRUE(absl::IsInvalidArgument(DB::Open(db.options(), "").status()));
}

// Every table of an open database costs a descriptor: a table a session would soon be more than there are.
TEST(DbOpen, SessionsThatWriteLittleLeaveFewTables) {
  for (const bool descending : {false, true}) {
    TestDatabase db;
    size_t most = 0;
    for (int session = 0; session < 200; ++session) {
      db.Put(NumberKey(descending ? 1000 - session : session), "v");
      db.Reopen();
      most = std::max(most, db->GetStatistics().tables.size());
    }
    EXPECT_LE(most, 20u) << (descending ? "descending" : "ascending");
    for (int session = 0; session < 200; ++session) {
      EXPECT_EQ(db.Get(NumberKey(descending ? 1000 - session : session)), "v");
    }
  }
}

// What cannot be read for another reason than damage is not given up: its file would be deleted.
TEST(DbOpen, SalvageGivesUpNoTableThatIsOnlyOutOfReach) {
  const auto faults = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  Options options = SmallOptions();
  options.file_system = faults;
  TestDatabase db(options);
  db.Put("key", "value");
  db.CompactAll();
  db.Close();
  options.salvage = true;
  for (const FileOperation operation : {FileOperation::kOpen, FileOperation::kRead}) {
    for (const absl::Status& fault :
         {absl::ResourceExhaustedError("no descriptor"), absl::PermissionDeniedError("not yours"),
          absl::UnavailableError("the disk is away")}) {
      faults->Inject({.operation = operation, .path_contains = ".sst", .status = fault});
      EXPECT_EQ(DB::Open(options, "/db").status().code(), fault.code()) << fault;
      faults->ClearFaults();
    }
  }
  db.Reopen(options);
  EXPECT_EQ(db.Get("key"), "value");
  EXPECT_EQ(db->GetProperty("siltstone.salvage"), "");
}

TEST(DbOpen, ObsoleteFilesGo) {
  TestDatabase db;
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 1000; ++i) db.Put(NumberKey(i), NoiseBytes(round, 100));
    db.CompactAll();
    db.Reopen();
  }
  size_t tables = 0;
  size_t logs = 0;
  size_t manifests = 0;
  const auto entries = db.options().file_system->ListDirectory("/db");
  ASSERT_TRUE(entries.ok());
  for (const DirectoryEntry& entry : *entries) {
    tables += entry.name.ends_with(".sst") ? 1 : 0;
    logs += entry.name.ends_with(".log") ? 1 : 0;
    manifests += entry.name.starts_with("MANIFEST") ? 1 : 0;
  }
  EXPECT_EQ(tables, db->GetStatistics().tables.size());
  EXPECT_EQ(logs, 1u);
  EXPECT_EQ(manifests, 1u);
}

TEST(DbOpen, RemovesWhatAnInterruptedReplacementLeftAndNothingOfOthers) {
  TestDatabase db;
  FileSystem& files = *db.options().file_system;
  for (const char* name :
       {"CURRENT.0123456789abcdef.tmp", "SECRETS.0123456789abcdef.tmp", "notes.tmp"}) {
    ASSERT_EQ(files.ReplaceFile(std::string("/db/") + name, "half"), absl::OkStatus());
  }
  db.Reopen();
  std::vector<std::string> left;
  for (const DirectoryEntry& entry : FilesOf(files, "/db")) {
    if (entry.name.ends_with(".tmp")) left.push_back(entry.name);
  }
  EXPECT_EQ(left, std::vector<std::string>{"notes.tmp"});
}

}  // namespace
}  // namespace siltstone
