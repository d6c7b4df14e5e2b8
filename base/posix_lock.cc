#include "base/posix_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/errno_status.h"
#include "base/mutex.h"
#include "base/posix_io.h"

namespace siltstone {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

FileIdentity IdentityOf(const struct stat& about) { return {about.st_dev, about.st_ino}; }

// The files that this process has locked, each with the id of the process that did it: after a fork the
// child has a copy of the list, which says nothing about the child.
struct Registry {
  Mutex mutex;
  std::map<FileIdentity, pid_t> holders ABSL_GUARDED_BY(mutex);
};

Registry& GetRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

int SetLock(int descriptor, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

class PosixFileLock final : public FileLock {
 public:
  PosixFileLock(FileDescriptor file, FileIdentity identity)
      : file_(std::move(file)), identity_(identity), process_(getpid()) {}

  ~PosixFileLock() override {
    if (process_ != getpid()) return;  // a forked child's copy: the lock is the parent's
    Registry& registry = GetRegistry();
    MutexLock lock(registry.mutex);
    registry.holders.erase(identity_);
    // Said aloud, as closing would not do it while a forked child still has the file open.
    SetLock(file_.number(), F_UNLCK);
    file_.Close();
  }

 private:
  FileDescriptor file_;
  const FileIdentity identity_;
  const pid_t process_;
};

// The process id in the file; 0 when there is none.
pid_t ReadHolder(int descriptor) {
  char text[16];
  size_t size;
  pid_t holder = 0;
  if (ReadFully(descriptor, text, 0, &size) == 0) std::from_chars(text, text + size, holder);
  return holder;
}

// Failures are ignored: the text only serves messages, and a full disk must not keep anyone from opening.
void WriteHolder(int descriptor) {
  const std::string text = absl::StrCat(getpid(), "\n");
  const bool written = WriteFully(descriptor, text, 0) == 0;
  if (ftruncate(descriptor, written ? static_cast<off_t>(text.size()) : 0) != 0) return;
}

absl::Status HeldStatus(const std::string& path, const std::string& holder) {
  return absl::AbortedError(absl::StrCat("cannot lock ", path, ": held by ", holder));
}

// One attempt; sets `*replaced` when the file was replaced under our hands and nothing is settled.
absl::StatusOr<std::unique_ptr<FileLock>> TryLock(Registry& registry, const std::string& path,
                                                  bool* replaced)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(registry.mutex) {
  std::map<FileIdentity, pid_t>& holders = registry.holders;
  FileDescriptor file = OpenDescriptor(path, O_RDWR | O_CREAT);
  struct stat about;
  if (!file.is_open() || fstat(file.number(), &about) != 0) return ErrnoStatus("lock", path, errno);
  const FileIdentity identity = IdentityOf(about);
  if (const auto own = holders.find(identity); own != holders.end() && own->second == getpid()) {
    return HeldStatus(path, absl::StrCat("this process (process id ", getpid(), ")"));
  }
  if (const int error = SetLock(file.number(), F_WRLCK); error == EAGAIN || error == EACCES) {
    const pid_t holder = ReadHolder(file.number());
    return HeldStatus(path, holder > 0 ? absl::StrCat("process id ", holder) : "another process");
  } else if (error != 0) {
    return ErrnoStatus("lock", path, error);
  }
  // Whoever deleted the file between our opening and locking it leaves us with a lock on nothing.
  struct stat now;
  *replaced = stat(path.c_str(), &now) != 0 || IdentityOf(now) != identity;
  if (*replaced) return absl::UnavailableError(absl::StrCat("cannot lock ", path, ": replaced"));
  WriteHolder(file.number());
  holders[identity] = getpid();
  return std::make_unique<PosixFileLock>(std::move(file), identity);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileLock>> LockPosixFile(const std::string& path) {
  constexpr int kAttempts = 10;
  Registry& registry = GetRegistry();
  MutexLock lock(registry.mutex);
  for (int attempt = 1;; ++attempt) {
    bool replaced = false;
    auto result = TryLock(registry, path, &replaced);
    if (!replaced || attempt == kAttempts) return result;
  }
}

}  // namespace siltstone
