// One contract, run over every file system.

#include "siltstone/file_system.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status_macros.h"
#include "base/to_absl.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temporary_directory.h"

namespace siltstone {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

enum class Kind { kPosix, kMemory, kFaultOverPosix, kFaultOverCrash, kCrash };

std::shared_ptr<FileSystem> NewFileSystem(Kind kind) {
  switch (kind) {
    case Kind::kPosix:
      return PosixFileSystem();
    case Kind::kMemory:
      return NewMemoryFileSystem();
    case Kind::kFaultOverPosix:
      return std::make_shared<FaultFileSystem>(PosixFileSystem());
    case Kind::kFaultOverCrash:
      return std::make_shared<FaultFileSystem>(std::make_shared<CrashFileSystem>());
    case Kind::kCrash:
      return std::make_shared<CrashFileSystem>();
  }
  return nullptr;
}

std::string KindName(const testing::TestParamInfo<Kind>& info) {
  static constexpr const char* kNames[] = {"Posix", "Memory", "FaultOverPosix", "FaultOverCrash",
                                           "Crash"};
  return kNames[static_cast<int>(info.param)];
}

class FileSystemContract : public testing::TestWithParam<Kind> {
 protected:
  FileSystemContract() : fs_(NewFileSystem(GetParam())) {
    if (GetParam() == Kind::kPosix || GetParam() == Kind::kFaultOverPosix) {
      directory_ = machine_.path();
    } else {
      directory_ = "/d";
      EXPECT_TRUE(fs_->CreateDirectory(directory_).ok());
    }
  }

  std::string Path(const std::string& name) const { return directory_ + "/" + name; }

  absl::Status WriteTable(const std::string& name, std::string_view bytes) {
    auto file = fs_->CreateTable(Path(name));
    if (!file.ok()) return file.status();
    SILTSTONE_RETURN_IF_ERROR((*file)->Append(bytes));
    return (*file)->Finish();
  }

  std::vector<std::string> Names(const std::string& path) {
    auto entries = fs_->ListDirectory(path);
    EXPECT_TRUE(entries.ok()) << entries.status();
    std::vector<std::string> names;
    if (entries.ok()) {
      for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    }
    return names;
  }

  TemporaryDirectory machine_;
  const std::shared_ptr<FileSystem> fs_;
  std::string directory_;
};

INSTANTIATE_TEST_SUITE_P(All, FileSystemContract,
                         testing::Values(Kind::kPosix, Kind::kMemory, Kind::kFaultOverPosix,
                                         Kind::kFaultOverCrash, Kind::kCrash),
                         KindName);

TEST_P(FileSystemContract, ATableIsReadAsItWasWritten) {
  auto file = fs_->CreateTable(Path("t"));
  ASSERT_TRUE(file.ok()) << file.status();
  std::string expected;
  for (const size_t size : {0, 1, 100, 70000, 3, 300000, 131072, 131071, 2}) {
    const std::string part(size, static_cast<char>('a' + size % 26));
    ASSERT_TRUE((*file)->Append(part).ok());
    expected += part;
  }
  ASSERT_TRUE((*file)->Finish().ok());
  file->reset();

  auto table = fs_->OpenTable(Path("t"));
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)->size_bytes(), expected.size());
  std::string bytes(expected.size(), '\0');
  ASSERT_TRUE((*table)->Read(0, bytes).ok());
  EXPECT_EQ(bytes, expected);
  std::string part(1000, '\0');
  ASSERT_TRUE((*table)->Read(69950, part).ok());
  EXPECT_EQ(part, expected.substr(69950, 1000));
}

TEST_P(FileSystemContract, ReadsPastTheEndAreOutOfRange) {
  ASSERT_TRUE(WriteTable("t", "0123456789").ok());
  auto table = fs_->OpenTable(Path("t"));
  ASSERT_TRUE(table.ok());
  char out[4];
  EXPECT_TRUE((*table)->Read(6, out).ok());
  EXPECT_TRUE(absl::IsOutOfRange((*table)->Read(7, out)));
  EXPECT_TRUE(absl::IsOutOfRange((*table)->Read(100, out)));
  EXPECT_TRUE(absl::IsOutOfRange((*table)->Read(UINT64_MAX - 1, out)));
  EXPECT_TRUE((*table)->Read(10, std::span<char>(out, 0)).ok());
  const absl::Status status = (*table)->Read(7, out);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot read " + Path("t")));
  EXPECT_THAT(std::string(status.message()), HasSubstr("offset 7 size 4"));
}

TEST_P(FileSystemContract, ABatchOfReadsGivesEachItsOwnStatus) {
  ASSERT_TRUE(WriteTable("t", "0123456789").ok());
  auto table = fs_->OpenTable(Path("t"));
  ASSERT_TRUE(table.ok());
  char a[2], b[20], c[3];
  ReadRequest requests[3];
  requests[0] = {.offset = 8, .out = a, .status = {}};
  requests[1] = {.offset = 0, .out = b, .status = {}};
  requests[2] = {.offset = 1, .out = c, .status = {}};
  (*table)->ReadBatch(requests);
  EXPECT_TRUE(requests[0].status.ok());
  EXPECT_EQ(std::string_view(a, 2), "89");
  EXPECT_TRUE(absl::IsOutOfRange(requests[1].status));
  EXPECT_TRUE(requests[2].status.ok());
  EXPECT_EQ(std::string_view(c, 3), "123");
}

TEST_P(FileSystemContract, TakenNamesAreAlreadyExists) {
  ASSERT_TRUE(WriteTable("t", "x").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(fs_->CreateTable(Path("t")).status()));
  EXPECT_TRUE(absl::IsAlreadyExists(fs_->CreateLog(Path("t"), 0).status()));
  EXPECT_EQ(*fs_->ReadFile(Path("t")), "x");
  EXPECT_TRUE(absl::IsAlreadyExists(fs_->CreateDirectory(Path("t"))));
}

TEST_P(FileSystemContract, MissingFilesAreNotFound) {
  EXPECT_TRUE(absl::IsNotFound(fs_->OpenTable(Path("no")).status()));
  EXPECT_TRUE(absl::IsNotFound(fs_->OpenLog(Path("no")).status()));
  EXPECT_TRUE(absl::IsNotFound(fs_->ReadFile(Path("no")).status()));
  EXPECT_TRUE(absl::IsNotFound(fs_->DeleteFile(Path("no"))));
  EXPECT_TRUE(absl::IsNotFound(fs_->ListDirectory(Path("no")).status()));
  EXPECT_TRUE(absl::IsNotFound(fs_->SyncDirectory(Path("no"))));
  EXPECT_TRUE(absl::IsNotFound(fs_->CreateTable(Path("no/t")).status()));
  EXPECT_TRUE(absl::IsNotFound(fs_->CreateLog(Path("no/l"), 10).status()));
  EXPECT_TRUE(absl::IsNotFound(fs_->ReplaceFile(Path("no/f"), "x")));
  EXPECT_TRUE(absl::IsNotFound(fs_->CreateDirectory(Path("no/d"))));
  EXPECT_TRUE(absl::IsNotFound(fs_->LockFile(Path("no/LOCK")).status()));
  EXPECT_THAT(std::string(fs_->OpenTable(Path("no")).status().message()),
              HasSubstr("cannot open " + Path("no") + ": No such file or directory"));
}

TEST_P(FileSystemContract, ADirectoryIsNoFileAndAFileNoDirectory) {
  ASSERT_TRUE(fs_->CreateDirectory(Path("d")).ok());
  ASSERT_TRUE(WriteTable("t", "x").ok());
  EXPECT_TRUE(absl::IsUnavailable(fs_->OpenTable(Path("d")).status()));
  EXPECT_TRUE(absl::IsUnavailable(fs_->ReadFile(Path("d")).status()));
  EXPECT_TRUE(absl::IsUnavailable(fs_->DeleteFile(Path("d"))));
  EXPECT_TRUE(absl::IsUnavailable(fs_->ReplaceFile(Path("d"), "x")));
  EXPECT_TRUE(absl::IsUnavailable(fs_->LockFile(Path("d")).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(fs_->ListDirectory(Path("t")).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(fs_->SyncDirectory(Path("t"))));
  EXPECT_TRUE(absl::IsFailedPrecondition(fs_->OpenTable(Path("t/x")).status()));
  EXPECT_THAT(Names(directory_), UnorderedElementsAre("d", "t"));
}

TEST_P(FileSystemContract, ALogIsAllocatedWithZeroesAndAppendedFromItsStart) {
  auto log = fs_->CreateLog(Path("l"), 4096);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(*fs_->ReadFile(Path("l")), std::string(4096, '\0'));
  ASSERT_TRUE((*log)->Append("abc").ok());
  ASSERT_TRUE((*log)->Append("").ok());
  ASSERT_TRUE((*log)->Append("def").ok());
  ASSERT_TRUE((*log)->Sync().ok());
  EXPECT_EQ(*fs_->ReadFile(Path("l")), "abcdef" + std::string(4090, '\0'));

  ASSERT_TRUE((*log)->Allocate(100).ok());  // less than there is: no effect
  EXPECT_EQ(fs_->ReadFile(Path("l"))->size(), 4096u);
  ASSERT_TRUE((*log)->Allocate(10000).ok());
  EXPECT_EQ(*fs_->ReadFile(Path("l")), "abcdef" + std::string(9994, '\0'));
  ASSERT_TRUE((*log)->Append(std::string(20000, 'x')).ok());  // beyond the allocation
  EXPECT_EQ(*fs_->ReadFile(Path("l")), "abcdef" + std::string(20000, 'x'));
  ASSERT_TRUE((*log)->Allocate(20010).ok());
  ASSERT_TRUE((*log)->Sync().ok());
  ASSERT_TRUE((*log)->Close().ok());

  auto read = fs_->OpenLog(Path("l"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ((*read)->size_bytes(), 20010u);
  char out[8];
  ASSERT_TRUE((*read)->Read(20002, out).ok());
  EXPECT_EQ(std::string_view(out, 8), std::string("xxxx\0\0\0\0", 8));
}

TEST_P(FileSystemContract, ALogNeedsNoAllocation) {
  auto log = fs_->CreateLog(Path("l"), 0);
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(*fs_->ReadFile(Path("l")), "");
  ASSERT_TRUE((*log)->Append("abc").ok());
  EXPECT_EQ(*fs_->ReadFile(Path("l")), "abc");
}

TEST_P(FileSystemContract, ClosedFilesRefuseFurtherCalls) {
  auto log = fs_->CreateLog(Path("l"), 0);
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE((*log)->Close().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition((*log)->Append("x")));
  EXPECT_TRUE(absl::IsFailedPrecondition((*log)->Sync()));
  EXPECT_TRUE(absl::IsFailedPrecondition((*log)->Allocate(1 << 20)));
  EXPECT_TRUE(absl::IsFailedPrecondition((*log)->Close()));
  auto table = fs_->CreateTable(Path("t"));
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE((*table)->Finish().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition((*table)->Append("x")));
  EXPECT_TRUE(absl::IsFailedPrecondition((*table)->Finish()));
}

TEST_P(FileSystemContract, ReplaceCreatesAndReplacesWholeFiles) {
  ASSERT_TRUE(fs_->ReplaceFile(Path("f"), "first, and longer").ok());
  EXPECT_EQ(*fs_->ReadFile(Path("f")), "first, and longer");
  auto old = fs_->OpenTable(Path("f"));
  ASSERT_TRUE(old.ok());
  ASSERT_TRUE(fs_->ReplaceFile(Path("f"), "second", /*is_secret=*/true).ok());
  EXPECT_EQ(*fs_->ReadFile(Path("f")), "second");
  char out[5];
  ASSERT_TRUE((*old)->Read(0, out).ok());  // an open file keeps what it was
  EXPECT_EQ(std::string_view(out, 5), "first");
  ASSERT_TRUE(fs_->ReplaceFile(Path("f"), "").ok());
  EXPECT_EQ(*fs_->ReadFile(Path("f")), "");
  EXPECT_THAT(Names(directory_), UnorderedElementsAre("f"));
}

TEST_P(FileSystemContract, AnOpenFileOutlivesItsName) {
  ASSERT_TRUE(WriteTable("t", "bytes").ok());
  auto table = fs_->OpenTable(Path("t"));
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE(fs_->DeleteFile(Path("t")).ok());
  EXPECT_TRUE(absl::IsNotFound(fs_->OpenTable(Path("t")).status()));
  ASSERT_TRUE(WriteTable("t", "other").ok());
  char out[5];
  ASSERT_TRUE((*table)->Read(0, out).ok());
  EXPECT_EQ(std::string_view(out, 5), "bytes");
}

TEST_P(FileSystemContract, DirectoriesListWhatLiesInThem) {
  EXPECT_THAT(Names(directory_), IsEmpty());
  ASSERT_TRUE(fs_->CreateDirectory(Path("sub")).ok());
  ASSERT_TRUE(fs_->CreateDirectory(Path("sub")).ok());  // there already: fine
  ASSERT_TRUE(fs_->CreateDirectory(Path("sub/deeper/")).ok());
  ASSERT_TRUE(WriteTable("t", "12345").ok());
  ASSERT_TRUE(WriteTable("sub/t", "1").ok());
  ASSERT_TRUE(WriteTable("sub-beside", "1").ok());
  ASSERT_TRUE(fs_->SyncDirectory(directory_).ok());
  auto entries = fs_->ListDirectory(directory_);
  ASSERT_TRUE(entries.ok());
  std::sort(entries->begin(), entries->end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].name, "sub");
  EXPECT_TRUE((*entries)[0].is_directory);
  EXPECT_EQ((*entries)[1].name, "sub-beside");
  EXPECT_EQ((*entries)[2].name, "t");
  EXPECT_FALSE((*entries)[2].is_directory);
  EXPECT_EQ((*entries)[2].size_bytes, 5u);
  EXPECT_THAT(Names(Path("sub") + "/"), UnorderedElementsAre("deeper", "t"));
  EXPECT_THAT(Names(Path("sub/deeper")), IsEmpty());
}

TEST_P(FileSystemContract, ALockIsHeldOnceUntilItIsDestroyed) {
  auto lock = fs_->LockFile(Path("LOCK"));
  ASSERT_TRUE(lock.ok()) << lock.status();
  const std::string holder = std::to_string(getpid());
  EXPECT_EQ(*fs_->ReadFile(Path("LOCK")), holder + "\n");
  const absl::Status second = fs_->LockFile(Path("LOCK")).status();
  EXPECT_TRUE(absl::IsAborted(second)) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr("this process"));
  EXPECT_THAT(std::string(second.message()), HasSubstr(holder));
  EXPECT_TRUE(fs_->LockFile(Path("OTHER")).ok());
  lock->reset();
  EXPECT_TRUE(fs_->LockFile(Path("LOCK")).ok());
  EXPECT_TRUE(fs_->LockFile(Path("LOCK")).ok());  // the last one lasted one line
}

TEST_P(FileSystemContract, ManyThreadsCreateReadListAndDelete) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      const std::string name = "t" + std::to_string(i);
      for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(WriteTable(name, name + "-contents").ok());
        EXPECT_EQ(*fs_->ReadFile(Path(name)), name + "-contents");
        EXPECT_TRUE(fs_->ListDirectory(directory_).ok());
        ASSERT_TRUE(fs_->DeleteFile(Path(name)).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Names(directory_), IsEmpty());
}

TEST_P(FileSystemContract, ManyThreadsReadOneTable) {
  std::string bytes(100000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
  ASSERT_TRUE(WriteTable("t", bytes).ok());
  auto table = fs_->OpenTable(Path("t"));
  ASSERT_TRUE(table.ok());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      std::string out(777, '\0');
      for (size_t at = i * 13; at + out.size() < bytes.size(); at += 997) {
        ASSERT_TRUE((*table)->Read(at, out).ok());
        ASSERT_EQ(out, std::string_view(bytes).substr(at, out.size()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The kinds of files in memory keep open files apart from the file system object.
TEST_P(FileSystemContract, FilesAndLocksMayOutliveTheFileSystem) {
  std::shared_ptr<FileSystem> fs = NewFileSystem(GetParam());
  if (directory_ == "/d") {
    ASSERT_TRUE(fs->CreateDirectory("/d").ok());
  }
  auto log = fs->CreateLog(Path("l"), 10);
  auto read = fs->OpenLog(Path("l"));
  auto lock = fs->LockFile(Path("LOCK"));
  ASSERT_TRUE(log.ok() && read.ok() && lock.ok());
  fs.reset();
  ASSERT_TRUE((*log)->Append("abc").ok());
  char out[3];
  ASSERT_TRUE((*read)->Read(0, out).ok());
  EXPECT_EQ(std::string_view(out, 3), "abc");
}

TEST(MemoryFileSystem, HasTheRootOnlyAndTakesAnySpellingOfAPath) {
  auto fs = NewMemoryFileSystem();
  EXPECT_TRUE(fs->ListDirectory("/").ok());
  EXPECT_THAT(*fs->ListDirectory("/"), IsEmpty());
  ASSERT_TRUE(fs->CreateDirectory("db").ok());
  ASSERT_TRUE(fs->CreateDirectory("/").ok());
  ASSERT_TRUE(fs->ReplaceFile("db//./x", "1").ok());
  EXPECT_EQ(*fs->ReadFile("/db/../db/x"), "1");
  EXPECT_EQ(fs->ListDirectory("/db/")->size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(NewMemoryFileSystem()->ReadFile("/db/x").status()));
}

}  // namespace
}  // namespace siltstone
