#include "tests/support/fault_file_system.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace siltstone {
namespace {

using ::testing::ElementsAre;

using Operation = FileOperation;

class Faults : public testing::Test {
 protected:
  // Nine operations on a log, a table and a named file; true when all went well.
  bool RunWorkload(const std::string& name) {
    auto log = fs_.CreateLog("/" + name + ".log", 100);
    if (!log.ok() || !(*log)->Append("abcdef").ok() || !(*log)->Sync().ok()) return false;
    auto table = fs_.CreateTable("/" + name + ".sst");
    if (!table.ok() || !(*table)->Append("abcdef").ok() || !(*table)->Finish().ok()) return false;
    return fs_.ReplaceFile("/CURRENT", name).ok() && fs_.SyncDirectory("/").ok() &&
           fs_.ReadFile("/CURRENT").ok();
  }

  const std::shared_ptr<FileSystem> base_ = NewMemoryFileSystem();
  FaultFileSystem fs_{base_};
};

TEST_F(Faults, CountsByKind) {
  ASSERT_TRUE(RunWorkload("a"));
  EXPECT_EQ(fs_.operation_count(), 9u);
  EXPECT_EQ(fs_.operation_count(Operation::kAppendLog), 1u);
  EXPECT_EQ(fs_.operation_count(Operation::kDelete), 0u);
  EXPECT_EQ(fs_.fault_count(), 0u);
  EXPECT_EQ(FileOperationName(Operation::kLock), "lock");
  EXPECT_EQ(FileOperationName(Operation::kSyncLog), "sync log");
}

TEST_F(Faults, EveryCallCanBeMadeToFailOnce) {
  for (uint64_t n = 1; n <= 9; ++n) {
    fs_.Inject({.nth = n});
    EXPECT_FALSE(RunWorkload("a" + std::to_string(n))) << n;
    EXPECT_EQ(fs_.fault_count(), n);
    fs_.ClearFaults();
    EXPECT_TRUE(RunWorkload("b" + std::to_string(n))) << n;
  }
}

TEST_F(Faults, MatchKindPathAndNumberAndGiveTheirStatus) {
  fs_.Inject({.operation = Operation::kReplace,
              .path_contains = "CURR",
              .nth = 2,
              .status = absl::ResourceExhaustedError("full")});
  EXPECT_TRUE(fs_.ReplaceFile("/CURRENT", "1").ok());
  EXPECT_TRUE(fs_.ReplaceFile("/OTHER", "1").ok());
  EXPECT_EQ(fs_.ReplaceFile("/CURRENT", "2"), absl::ResourceExhaustedError("full"));
  EXPECT_EQ(*fs_.ReadFile("/CURRENT"), "1");
  EXPECT_TRUE(fs_.ReplaceFile("/CURRENT", "3").ok());
}

TEST_F(Faults, LastFromTheNthOnUntilCleared) {
  fs_.Inject({.nth = 2, .from_then_on = true});
  EXPECT_TRUE(fs_.ReplaceFile("/a", "1").ok());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(fs_.ReadFile("/a").status(), absl::UnavailableError("injected"));
  fs_.ClearFaults();
  EXPECT_TRUE(fs_.ReadFile("/a").ok());
}

TEST_F(Faults, PoisonTheFile) {
  for (const Operation operation :
       {Operation::kAppendLog, Operation::kSyncLog, Operation::kAllocateLog}) {
    const std::string path = "/" + std::to_string(static_cast<int>(operation));
    auto log = fs_.CreateLog(path, 0);
    ASSERT_TRUE(log.ok());
    fs_.Inject({.operation = operation, .status = absl::ResourceExhaustedError("full")});
    const absl::Status first = operation == Operation::kAppendLog ? (*log)->Append("x")
                               : operation == Operation::kSyncLog ? (*log)->Sync()
                                                                  : (*log)->Allocate(10);
    EXPECT_EQ(first, absl::ResourceExhaustedError("full"));
    fs_.ClearFaults();
    EXPECT_EQ((*log)->Append("y"), first);
    EXPECT_EQ((*log)->Sync(), first);
    EXPECT_EQ((*log)->Allocate(10), first);
    EXPECT_EQ((*log)->Close(), first);
    EXPECT_EQ(*fs_.ReadFile(path), "");
  }
  auto table = fs_.CreateTable("/t");
  fs_.Inject({.operation = Operation::kAppendTable});
  EXPECT_FALSE((*table)->Append("x").ok());
  EXPECT_FALSE((*table)->Append("x").ok());
  EXPECT_FALSE((*table)->Finish().ok());
}

TEST_F(Faults, ReadsAreNotPoisoned) {
  ASSERT_TRUE(fs_.ReplaceFile("/a", "1").ok());
  auto file = fs_.OpenTable("/a");
  fs_.Inject({.operation = Operation::kRead});
  char out[1];
  EXPECT_FALSE((*file)->Read(0, out).ok());
  EXPECT_TRUE((*file)->Read(0, out).ok());
}

TEST_F(Faults, HaveTheChosenEffect) {
  auto log = fs_.CreateLog("/l", 0);
  fs_.Inject({.operation = Operation::kAppendLog, .effect = Fault::Effect::kHalf});
  EXPECT_FALSE((*log)->Append("abcdef").ok());
  EXPECT_EQ(*fs_.ReadFile("/l"), "abc");

  fs_.Inject({.operation = Operation::kReplace, .effect = Fault::Effect::kDone});
  EXPECT_FALSE(fs_.ReplaceFile("/f", "new").ok());
  EXPECT_EQ(*fs_.ReadFile("/f"), "new");

  fs_.Inject({.operation = Operation::kCreateTable, .effect = Fault::Effect::kDone});
  EXPECT_FALSE(fs_.CreateTable("/t").ok());
  EXPECT_TRUE(fs_.OpenTable("/t").ok());
}

TEST_F(Faults, TheHookSeesEveryCallFirst) {
  std::vector<std::string> calls;
  fs_.SetHook([&](Operation operation, std::string_view path) {
    calls.push_back(std::string(FileOperationName(operation)) + " " + std::string(path));
  });
  ASSERT_TRUE(fs_.ReplaceFile("/a", "1").ok());
  ASSERT_TRUE(fs_.DeleteFile("/a").ok());
  fs_.SetHook(nullptr);
  ASSERT_TRUE(fs_.ListDirectory("/").ok());
  EXPECT_THAT(calls, ElementsAre("replace /a", "delete /a"));
}

TEST_F(Faults, SyncsCanBeSlow) {
  auto log = fs_.CreateLog("/l", 0);
  fs_.SetSyncDelay(std::chrono::microseconds(2000));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE((*log)->Sync().ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::microseconds(2000));
}

TEST_F(Faults, WorkOverTheFileSystemOfTheMachine) {
  FaultFileSystem fs(PosixFileSystem());
  fs.Inject({.operation = Operation::kLock, .status = absl::PermissionDeniedError("no")});
  EXPECT_TRUE(absl::IsPermissionDenied(fs.LockFile("/nowhere/LOCK").status()));
  EXPECT_TRUE(absl::IsNotFound(fs.LockFile("/nowhere/LOCK").status()));
}

}  // namespace
}  // namespace siltstone
