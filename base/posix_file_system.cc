#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "siltstone/file_system.h"

#include "base/errno_status.h"
#include "base/posix_files.h"
#include "base/posix_io.h"
#include "base/posix_lock.h"
#include "base/random.h"
#include "base/status_macros.h"

namespace siltstone {
namespace {

// Of ReadFile. A file that claims more is not one of the small files it is for, and must not exhaust the
// memory of the program.
constexpr uint64_t kMaxReadFileBytes = uint64_t{1} << 30;

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status SyncPosixDirectory(const std::string& path) {
  FileDescriptor directory = OpenDescriptor(path, O_RDONLY | O_DIRECTORY);
  if (!directory.is_open()) return ErrnoStatus("sync directory", path, errno);
  const int error = SyncDescriptor(directory.number());
  return error == 0 ? absl::OkStatus() : ErrnoStatus("sync directory", path, error);
}

// A new file beside `path`: `path`.<16 hexadecimal digits>.tmp.
FileDescriptor CreateTemporary(const std::string& path, mode_t mode, std::string* temporary) {
  for (;;) {
    *temporary = absl::StrCat(path, ".", absl::Hex(RandomSeed(), absl::kZeroPad16), ".tmp");
    FileDescriptor file = OpenDescriptor(*temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (file.is_open() || errno != EEXIST) return file;
  }
}

// Writes, syncs and closes.
int FillFile(FileDescriptor file, std::string_view contents) {
  if (const int error = WriteFully(file.number(), contents, 0); error != 0) return error;
  if (const int error = SyncDescriptor(file.number()); error != 0) return error;
  return file.Close();
}

// False when the entry has gone meanwhile.
bool DescribeEntry(int directory, const char* name, DirectoryEntry* entry) {
  struct stat about;
  if (fstatat(directory, name, &about, 0) != 0 &&
      fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
    return false;
  }
  entry->name = name;
  entry->is_directory = S_ISDIR(about.st_mode);
  entry->size_bytes = entry->is_directory ? 0 : static_cast<uint64_t>(about.st_size);
  return true;
}

// Thread-safe: it has no state.
class Posix final : public FileSystem {
 public:
  absl::StatusOr<std::unique_ptr<TableFile>> CreateTable(std::string_view path) override {
    return CreatePosixTable(std::string(path));
  }
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenTable(std::string_view path) override {
    return OpenPosixFile(std::string(path));
  }
  absl::StatusOr<std::unique_ptr<LogFile>> CreateLog(std::string_view path,
                                                     uint64_t allocated_bytes) override {
    return CreatePosixLog(std::string(path), allocated_bytes);
  }
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenLog(std::string_view path) override {
    return OpenPosixFile(std::string(path));
  }
  absl::Status ReplaceFile(std::string_view path, std::string_view contents,
                           bool is_secret) override;
  absl::StatusOr<std::string> ReadFile(std::string_view path) override;

  absl::Status DeleteFile(std::string_view path) override {
    const std::string name(path);
    return unlink(name.c_str()) == 0 ? absl::OkStatus() : ErrnoStatus("delete", name, errno);
  }

  absl::Status CreateDirectory(std::string_view path) override;
  absl::Status SyncDirectory(std::string_view path) override {
    return SyncPosixDirectory(std::string(path));
  }
  absl::StatusOr<std::vector<DirectoryEntry>> ListDirectory(std::string_view path) override;

  absl::StatusOr<std::unique_ptr<FileLock>> LockFile(std::string_view path) override {
    return LockPosixFile(std::string(path));
  }
};

absl::Status Posix::ReplaceFile(std::string_view path, std::string_view contents, bool is_secret) {
  const std::string name(path);
  std::string temporary;
  FileDescriptor file = CreateTemporary(name, is_secret ? 0600 : 0644, &temporary);
  if (!file.is_open()) return ErrnoStatus("replace", name, errno);
  int error = FillFile(std::move(file), contents);
  if (error == 0 && rename(temporary.c_str(), name.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return ErrnoStatus("replace", name, error);
  }
  return SyncPosixDirectory(DirectoryOf(name));
}

absl::StatusOr<std::string> Posix::ReadFile(std::string_view path) {
  const std::string name(path);
  auto file = OpenPosixFile(name);
  if (!file.ok()) return file.status();
  if ((*file)->size_bytes() > kMaxReadFileBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("cannot read ", name, ": its size is ",
                                                     (*file)->size_bytes(), " bytes, at most ",
                                                     kMaxReadFileBytes));
  }
  std::string contents(static_cast<size_t>((*file)->size_bytes()), '\0');
  SILTSTONE_RETURN_IF_ERROR((*file)->Read(0, contents));
  return contents;
}

absl::Status Posix::CreateDirectory(std::string_view path) {
  const std::string name(path);
  if (mkdir(name.c_str(), 0755) == 0) return absl::OkStatus();
  const int error = errno;
  struct stat about;
  if (error == EEXIST && stat(name.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
    return absl::OkStatus();
  }
  return ErrnoStatus("create directory", name, error);
}

absl::StatusOr<std::vector<DirectoryEntry>> Posix::ListDirectory(std::string_view path) {
  const std::string name(path);
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(name.c_str()), &closedir);
  if (directory == nullptr) return ErrnoStatus("list directory", name, errno);
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* found = readdir(directory.get());
    if (found == nullptr) break;
    const std::string_view found_name = found->d_name;
    if (found_name == "." || found_name == "..") continue;
    DirectoryEntry entry;
    if (DescribeEntry(dirfd(directory.get()), found->d_name, &entry)) entries.push_back(entry);
  }
  if (errno != 0) return ErrnoStatus("list directory", name, errno);
  return entries;
}

}  // namespace

std::shared_ptr<FileSystem> PosixFileSystem() {
  static const std::shared_ptr<FileSystem>& file_system =
      *new std::shared_ptr<FileSystem>(std::make_shared<Posix>());
  return file_system;
}

}  // namespace siltstone
