#include "tests/support/crash_file_system.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

constexpr PowerCutMode kDrop = PowerCutMode::kDropUnsynced;
constexpr PowerCutMode kKeep = PowerCutMode::kKeepUnsynced;
constexpr PowerCutMode kTear = PowerCutMode::kTear;
constexpr PowerCutMode kZero = PowerCutMode::kZeroSectors;

class Crash : public testing::Test {
 protected:
  Crash() {
    EXPECT_TRUE(fs_.CreateDirectory("/d").ok());
    EXPECT_TRUE(fs_.SyncDirectory("/").ok());
  }

  // A log whose name is durable.
  std::unique_ptr<LogFile> NewLog(uint64_t allocated_bytes) {
    auto log = fs_.CreateLog("/d/l", allocated_bytes);
    EXPECT_TRUE(log.ok() && fs_.SyncDirectory("/d").ok());
    return *std::move(log);
  }

  // What is found after a cut, or "(none)".
  std::string Found(PowerCutMode mode, uint64_t seed, const std::string& path = "/d/l") {
    auto contents = fs_.ImageAfterPowerCut(mode, seed)->ReadFile(path);
    return contents.ok() ? *contents : "(none)";
  }

  CrashFileSystem fs_;
};

TEST_F(Crash, SyncedBytesUnderASyncedNameAreKeptInEveryMode) {
  auto log = NewLog(0);
  ASSERT_TRUE(log->Append("abc").ok());
  EXPECT_EQ(fs_.unsynced_bytes(), 3u);
  ASSERT_TRUE(log->Sync().ok());
  EXPECT_EQ(fs_.unsynced_bytes(), 0u);
  for (const PowerCutMode mode : kAllPowerCutModes) {
    for (uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(Found(mode, seed), "abc");
  }
}

TEST_F(Crash, UnsyncedBytesAreDroppedOrKept) {
  auto log = NewLog(0);
  ASSERT_TRUE(log->Append("abc").ok());
  ASSERT_TRUE(log->Sync().ok());
  ASSERT_TRUE(log->Append("def").ok());
  EXPECT_EQ(Found(kDrop, 1), "abc");
  EXPECT_EQ(Found(kKeep, 1), "abcdef");
}

TEST_F(Crash, TornAppendsKeepAPrefix) {
  auto log = NewLog(0);
  ASSERT_TRUE(log->Append("abc").ok());
  ASSERT_TRUE(log->Sync().ok());
  ASSERT_TRUE(log->Append("def").ok());
  std::set<std::string> found;
  for (uint64_t seed = 0; seed < 200; ++seed) found.insert(Found(kTear, seed));
  // The size is either that of the bytes which made it, or the new one, with zeroes.
  const std::set<std::string> expected = {"abc",
                                          "abcd",
                                          "abcde",
                                          "abcdef",
                                          std::string("abc\0\0\0", 6),
                                          std::string("abcd\0\0", 6),
                                          std::string("abcde\0", 6)};
  EXPECT_EQ(found, expected);
}

TEST_F(Crash, TornAppendsInsideTheAllocationLeaveItsSize) {
  auto log = NewLog(1000);
  ASSERT_TRUE(log->Sync().ok());
  ASSERT_TRUE(log->Append(std::string(500, 'a')).ok());
  std::set<size_t> kept;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const std::string found = Found(kTear, seed);
    ASSERT_EQ(found.size(), 1000u);
    const size_t end = std::min(found.find('\0'), found.size());
    EXPECT_EQ(found, std::string(end, 'a') + std::string(1000 - end, '\0'));
    kept.insert(end);
  }
  EXPECT_GT(kept.size(), 20u);
}

TEST_F(Crash, ZeroedSectorsAreWholeAndSpareWhatWasSynced) {
  auto log = NewLog(8192);
  ASSERT_TRUE(log->Append(std::string(700, 's')).ok());
  ASSERT_TRUE(log->Sync().ok());
  ASSERT_TRUE(log->Append(std::string(3000, 'u')).ok());
  std::set<std::string> all;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const std::string found = Found(kZero, seed);
    ASSERT_EQ(found.size(), 8192u);
    EXPECT_EQ(found.substr(0, 700), std::string(700, 's'));
    for (size_t at = 700; at < 3700;) {
      const size_t end = std::min<size_t>((at / 512 + 1) * 512, 3700);
      const std::string sector = found.substr(at, end - at);
      EXPECT_TRUE(sector == std::string(end - at, 'u') || sector == std::string(end - at, '\0'));
      at = end;
    }
    EXPECT_EQ(found.substr(3700), std::string(8192 - 3700, '\0'));
    all.insert(found);
  }
  EXPECT_GT(all.size(), 20u);
}

TEST_F(Crash, AnUnsyncedAllocationMayBeLost) {
  auto log = NewLog(0);
  ASSERT_TRUE(log->Sync().ok());
  ASSERT_TRUE(log->Allocate(4096).ok());
  EXPECT_EQ(Found(kDrop, 1), "");
  std::set<size_t> sizes;
  for (uint64_t seed = 0; seed < 20; ++seed) sizes.insert(Found(kTear, seed).size());
  EXPECT_EQ(sizes, (std::set<size_t>{0, 4096}));
}

TEST_F(Crash, AFinishedTableNeedsItsNameSyncedToo) {
  auto table = fs_.CreateTable("/d/t");
  ASSERT_TRUE((*table)->Append("abc").ok());
  ASSERT_TRUE((*table)->Finish().ok());
  EXPECT_EQ(Found(kDrop, 1, "/d/t"), "(none)");
  EXPECT_EQ(Found(kKeep, 1, "/d/t"), "abc");
  ASSERT_TRUE(fs_.SyncDirectory("/d").ok());
  EXPECT_EQ(Found(kDrop, 1, "/d/t"), "abc");
}

TEST_F(Crash, UnsyncedNamesAreLostOrKeptAtRandom) {
  auto table = fs_.CreateTable("/d/t");
  ASSERT_TRUE((*table)->Append("abc").ok());
  ASSERT_TRUE((*table)->Finish().ok());
  std::set<std::string> found;
  for (uint64_t seed = 0; seed < 50; ++seed) found.insert(Found(kTear, seed, "/d/t"));
  EXPECT_EQ(found, (std::set<std::string>{"abc", "(none)"}));
  EXPECT_EQ(Found(kTear, 7, "/d/t"), Found(kTear, 7, "/d/t"));
}

TEST_F(Crash, UnsyncedDeletionsMayComeBack) {
  ASSERT_TRUE(fs_.ReplaceFile("/d/f", "abc").ok());
  ASSERT_TRUE(fs_.DeleteFile("/d/f").ok());
  EXPECT_EQ(Found(kDrop, 1, "/d/f"), "abc");
  EXPECT_EQ(Found(kKeep, 1, "/d/f"), "(none)");
  ASSERT_TRUE(fs_.SyncDirectory("/d").ok());
  EXPECT_EQ(Found(kDrop, 1, "/d/f"), "(none)");
}

TEST_F(Crash, ReplacedFilesAreDurableAtOnceAndNothingElseIs) {
  ASSERT_TRUE(fs_.CreateTable("/d/t").ok());
  ASSERT_TRUE(fs_.ReplaceFile("/d/f", "new").ok());
  EXPECT_EQ(Found(kDrop, 1, "/d/f"), "new");
  EXPECT_EQ(Found(kDrop, 1, "/d/t"), "(none)");
}

TEST_F(Crash, WhatLiesInALostDirectoryIsLost) {
  ASSERT_TRUE(fs_.CreateDirectory("/e").ok());
  ASSERT_TRUE(fs_.ReplaceFile("/e/f", "x").ok());
  ASSERT_TRUE(fs_.SyncDirectory("/e").ok());
  EXPECT_EQ(Found(kDrop, 1, "/e/f"), "(none)");
  ASSERT_TRUE(fs_.SyncDirectory("/").ok());
  EXPECT_EQ(Found(kDrop, 1, "/e/f"), "x");
}

TEST_F(Crash, OpenFilesFailAfterTheCutAndLocksAreFree) {
  auto log = NewLog(0);
  ASSERT_TRUE(log->Append("abc").ok());
  ASSERT_TRUE(log->Sync().ok());
  auto table = fs_.CreateTable("/d/t");
  auto read = fs_.OpenLog("/d/l");
  auto lock = fs_.LockFile("/d/LOCK");
  ASSERT_TRUE(table.ok() && read.ok() && lock.ok());

  fs_.PowerCut(kDrop, 1);
  char out[1];
  EXPECT_TRUE(absl::IsUnavailable(log->Append("x")));
  EXPECT_TRUE(absl::IsUnavailable(log->Sync()));
  EXPECT_TRUE(absl::IsUnavailable(log->Allocate(10)));
  EXPECT_TRUE(absl::IsUnavailable((*table)->Append("x")));
  EXPECT_TRUE(absl::IsUnavailable((*table)->Finish()));
  EXPECT_TRUE(absl::IsUnavailable((*read)->Read(0, out)));
  auto again = fs_.LockFile("/d/LOCK");
  EXPECT_TRUE(again.ok());
  lock->reset();  // the old lock does not let go of the new one
  EXPECT_TRUE(absl::IsAborted(fs_.LockFile("/d/LOCK").status()));
  EXPECT_EQ(*fs_.ReadFile("/d/l"), "abc");
}

TEST_F(Crash, AnImageIsApartAndFullyDurable) {
  auto log = NewLog(0);
  ASSERT_TRUE(log->Append("abc").ok());
  auto image = fs_.ImageAfterPowerCut(kKeep, 1);
  ASSERT_TRUE(log->Append("def").ok());
  ASSERT_TRUE(log->Sync().ok());
  EXPECT_EQ(*image->ReadFile("/d/l"), "abc");
  image->PowerCut(kDrop, 1);
  EXPECT_EQ(*image->ReadFile("/d/l"), "abc");
}

}  // namespace
}  // namespace siltstone
