#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/file_system.h"

#include "base/posix_io.h"
#include "tests/support/temporary_directory.h"

namespace siltstone {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs `work` in a child process; true when it returned true.
bool InChild(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool Mentions(const absl::Status& status, const std::string& text) {
  return status.ToString().find(text) != std::string::npos;
}

mode_t ModeOf(const std::string& path) {
  struct stat about = {};
  EXPECT_EQ(stat(path.c_str(), &about), 0);
  return about.st_mode & 0777;
}

class PosixFiles : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.File(name); }

  TemporaryDirectory directory_;
  const std::shared_ptr<FileSystem> fs_ = PosixFileSystem();
};

TEST_F(PosixFiles, AreTheSameForAll) { EXPECT_EQ(PosixFileSystem(), fs_); }

TEST_F(PosixFiles, SecretsAreReadableByTheOwnerAlone) {
  const mode_t old_mask = umask(022);
  ASSERT_TRUE(fs_->ReplaceFile(Path("plain"), "x").ok());
  ASSERT_TRUE(fs_->ReplaceFile(Path("secret"), "x", /*is_secret=*/true).ok());
  ASSERT_TRUE(fs_->CreateDirectory(Path("directory")).ok());
  umask(old_mask);
  EXPECT_EQ(ModeOf(Path("plain")), 0644u);
  EXPECT_EQ(ModeOf(Path("secret")), 0600u);
  EXPECT_EQ(ModeOf(Path("directory")), 0755u);
}

TEST_F(PosixFiles, AFailedReplaceLeavesTheOldContentsAndNothingElse) {
  ASSERT_TRUE(fs_->CreateDirectory(Path("taken")).ok());
  ASSERT_TRUE(fs_->ReplaceFile(Path("taken/inside"), "x").ok());
  EXPECT_FALSE(fs_->ReplaceFile(Path("taken"), "y").ok());
  EXPECT_EQ(fs_->ListDirectory(directory_.path())->size(), 1u);
  EXPECT_EQ(*fs_->ReadFile(Path("taken/inside")), "x");
}

TEST_F(PosixFiles, AreNotHandedToOtherPrograms) {
  auto table = fs_->CreateTable(Path("t"));
  auto log = fs_->CreateLog(Path("l"), 0);
  auto read = fs_->OpenTable(Path("t"));
  auto lock = fs_->LockFile(Path("LOCK"));
  int open_files = 0;
  for (int descriptor = 3; descriptor < 100; ++descriptor) {
    char target[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = readlink(link.c_str(), target, sizeof(target));
    if (size < 0 || std::string_view(target, size).find(directory_.path()) != 0) continue;
    ++open_files;
    EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0) << target;
  }
  EXPECT_EQ(open_files, 4);
}

TEST_F(PosixFiles, AReadOnlyDirectoryIsPermissionDenied) {
  ASSERT_EQ(chmod(directory_.path().c_str(), 0555), 0);
  EXPECT_TRUE(InChild([&] {
    if (geteuid() == 0 && seteuid(65534) != 0) return false;  // root may write anywhere
    return absl::IsPermissionDenied(fs_->LockFile(Path("LOCK")).status()) &&
           absl::IsPermissionDenied(fs_->CreateTable(Path("t")).status()) &&
           absl::IsPermissionDenied(fs_->CreateLog(Path("l"), 0).status()) &&
           absl::IsPermissionDenied(fs_->ReplaceFile(Path("f"), "x")) &&
           absl::IsPermissionDenied(fs_->CreateDirectory(Path("d")));
  }));
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  EXPECT_THAT(*fs_->ListDirectory(directory_.path()), IsEmpty());
}

// A limit on the size of files stands for a full disk.
bool LimitFileSize(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {bytes, RLIM_INFINITY};
  return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

TEST_F(PosixFiles, AFailedAppendPoisonsTheLogEvenWhenThereIsSpaceAgain) {
  EXPECT_TRUE(InChild([&] {
    auto log = fs_->CreateLog(Path("l"), 4096);
    if (!log.ok() || !LimitFileSize(8192)) return false;
    if (!(*log)->Append(std::string(8000, 'a')).ok()) return false;
    const absl::Status first = (*log)->Append(std::string(8000, 'b'));
    if (!absl::IsResourceExhausted(first) || !Mentions(first, "cannot append to " + Path("l"))) {
      return false;
    }
    if (!LimitFileSize(RLIM_INFINITY)) return false;
    return (*log)->Append("c") == first && (*log)->Sync() == first &&
           (*log)->Allocate(1 << 20) == first && (*log)->Close() == first;
  }));
}

TEST_F(PosixFiles, AFailedAllocationPoisonsTheLog) {
  EXPECT_TRUE(InChild([&] {
    auto log = fs_->CreateLog(Path("l"), 0);
    if (!log.ok() || !LimitFileSize(8192)) return false;
    const absl::Status first = (*log)->Allocate(1 << 20);
    if (!absl::IsResourceExhausted(first) || !LimitFileSize(RLIM_INFINITY)) return false;
    return (*log)->Append("c") == first && (*log)->Sync() == first;
  }));
}

TEST_F(PosixFiles, ALogThatCannotBeAllocatedIsNotLeftBehind) {
  EXPECT_TRUE(InChild([&] {
    return LimitFileSize(8192) &&
           absl::IsResourceExhausted(fs_->CreateLog(Path("l"), 1 << 20).status());
  }));
  EXPECT_TRUE(absl::IsResourceExhausted(fs_->CreateLog(Path("l"), UINT64_MAX).status()));
  EXPECT_THAT(*fs_->ListDirectory(directory_.path()), IsEmpty());
  EXPECT_TRUE(fs_->CreateLog(Path("l"), 0).ok());
}

TEST_F(PosixFiles, AFailedTablePoisonsItself) {
  EXPECT_TRUE(InChild([&] {
    auto table = fs_->CreateTable(Path("t"));
    if (!table.ok() || !LimitFileSize(8192)) return false;
    const absl::Status first = (*table)->Append(std::string(1 << 20, 'a'));
    if (!absl::IsResourceExhausted(first) || !LimitFileSize(RLIM_INFINITY)) return false;
    return (*table)->Append("b") == first && (*table)->Finish() == first;
  }));
  EXPECT_TRUE(InChild([&] {  // the buffer is written at the end only
    auto table = fs_->CreateTable(Path("u"));
    if (!table.ok() || !LimitFileSize(8192)) return false;
    if (!(*table)->Append(std::string(9000, 'a')).ok()) return false;
    const absl::Status first = (*table)->Finish();
    if (!absl::IsResourceExhausted(first) || !LimitFileSize(RLIM_INFINITY)) return false;
    return (*table)->Finish() == first;
  }));
}

TEST_F(PosixFiles, RunningOutOfDescriptorsIsResourceExhausted) {
  EXPECT_TRUE(InChild([&] {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
    limit.rlim_cur = 0;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           absl::IsResourceExhausted(fs_->CreateTable(Path("t")).status());
  }));
}

TEST_F(PosixFiles, AFileThatIsTooLargeIsNotReadWhole) {
  ASSERT_TRUE(fs_->ReplaceFile(Path("f"), "").ok());
  ASSERT_EQ(truncate(Path("f").c_str(), off_t{1} << 40), 0);
  EXPECT_TRUE(absl::IsResourceExhausted(fs_->ReadFile(Path("f")).status()));
}

TEST_F(PosixFiles, ADanglingLinkIsListed) {
  ASSERT_EQ(symlink("nowhere", Path("link").c_str()), 0);
  const auto entries = fs_->ListDirectory(directory_.path());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().name, "link");
}

TEST_F(PosixFiles, ReadsSeeWhatALogGrewByAfterItWasOpened) {
  auto log = fs_->CreateLog(Path("l"), 0);
  ASSERT_TRUE((*log)->Append("abc").ok());
  auto read = fs_->OpenLog(Path("l"));
  ASSERT_TRUE((*log)->Append("def").ok());
  EXPECT_EQ((*read)->size_bytes(), 3u);
  char out[6];
  EXPECT_TRUE((*read)->Read(0, out).ok());
}

class PosixLock : public PosixFiles {
 protected:
  absl::Status TryLock() { return fs_->LockFile(Path("LOCK")).status(); }
};

TEST_F(PosixLock, AnotherProcessIsToldWhoHoldsIt) {
  const std::string holder = "process id " + std::to_string(getpid());
  auto lock = fs_->LockFile(Path("LOCK"));
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(InChild([&] {
    const absl::Status status = TryLock();
    return absl::IsAborted(status) && Mentions(status, holder) && !Mentions(status, "this process");
  }));
  EXPECT_EQ(*fs_->ReadFile(Path("LOCK")), std::to_string(getpid()) + "\n");  // left as it was
  lock->reset();
  EXPECT_TRUE(InChild([&] { return TryLock().ok(); }));
}

TEST_F(PosixLock, EndsWithItsProcess) {
  EXPECT_TRUE(InChild([&] {
    auto lock = fs_->LockFile(Path("LOCK"));
    return lock.ok() && (lock->release(), true);  // dies with the lock held
  }));
  EXPECT_TRUE(TryLock().ok());
}

TEST_F(PosixLock, AChildThatInheritedItNeitherKeepsNorReleasesIt) {
  auto lock = fs_->LockFile(Path("LOCK"));
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(InChild([&] {
    lock->reset();
    return absl::IsAborted(TryLock());
  }));
  EXPECT_TRUE(InChild([&] { return absl::IsAborted(TryLock()); }));

  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t child = fork();
  if (child == 0) {  // lives on with the inherited file open
    char byte;
    close(gate[1]);
    _exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(gate[0]);
  lock->reset();
  EXPECT_TRUE(TryLock().ok());
  close(gate[1]);
  waitpid(child, nullptr, 0);
}

TEST_F(PosixLock, IsOneLockUnderAllNamesOfTheFile) {
  auto lock = fs_->LockFile(Path("LOCK"));
  ASSERT_TRUE(lock.ok());
  ASSERT_EQ(symlink("LOCK", Path("alias").c_str()), 0);
  EXPECT_TRUE(absl::IsAborted(fs_->LockFile(Path("alias")).status()));
  EXPECT_TRUE(absl::IsAborted(fs_->LockFile(directory_.path() + "/./LOCK").status()));
}

TEST_F(PosixLock, ReplacesALongerText) {
  ASSERT_TRUE(fs_->ReplaceFile(Path("LOCK"), "123456789012345 and more\n").ok());
  auto lock = fs_->LockFile(Path("LOCK"));
  EXPECT_EQ(*fs_->ReadFile(Path("LOCK")), std::to_string(getpid()) + "\n");
}

TEST_F(PosixLock, AHolderThatLeftNoTextIsAnotherProcess) {
  auto lock = fs_->LockFile(Path("LOCK"));
  ASSERT_EQ(truncate(Path("LOCK").c_str(), 0), 0);
  EXPECT_TRUE(InChild([&] { return Mentions(TryLock(), "held by another process"); }));
}

// Between many processes only one at a time gets in.
TEST_F(PosixLock, ExcludesProcessesThatCompete) {
  constexpr int kChildren = 4, kRounds = 25;
  std::vector<pid_t> children;
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int done = 0; done < kRounds;) {
        auto lock = fs_->LockFile(Path("LOCK"));
        if (!lock.ok()) continue;
        auto inside = fs_->CreateTable(Path("inside"));
        if (!inside.ok() || !fs_->DeleteFile(Path("inside")).ok()) _exit(1);
        ++done;
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(PosixIo, ErrorsComeBackAsTheyAre) {
  // pread and pwrite refuse pipes.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(WriteFully(ends[1], "x", 0), ESPIPE);
  char out[1];
  size_t read_bytes;
  EXPECT_EQ(ReadFully(ends[0], out, 0, &read_bytes), ESPIPE);
  EXPECT_EQ(read_bytes, 0u);
  close(ends[0]);
  close(ends[1]);
}

TEST(PosixIo, ADescriptorIsClosedOnce) {
  FileDescriptor file = OpenDescriptor("/dev/null", O_RDONLY);
  ASSERT_TRUE(file.is_open());
  FileDescriptor moved = std::move(file);
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(moved.Close(), 0);
  EXPECT_EQ(moved.Close(), 0);
  EXPECT_FALSE(moved.is_open());
}

}  // namespace
}  // namespace siltstone
