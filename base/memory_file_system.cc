#include <unistd.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "siltstone/file_system.h"

#include "base/memory_files.h"
#include "base/memory_path.h"
#include "base/mutex.h"

namespace siltstone {
namespace {

// Names and locks. Shared with the locks, which may outlive the file system object.
struct MemoryNames {
  Mutex mutex;
  // By normalised path; null marks a directory. Sorted, so that what lies in a directory stands together.
  std::map<std::string, std::shared_ptr<MemoryFile>> files ABSL_GUARDED_BY(mutex);
  std::set<std::string> locked ABSL_GUARDED_BY(mutex);
};

class MemoryFileLock final : public FileLock {
 public:
  MemoryFileLock(std::shared_ptr<MemoryNames> names, std::string path)
      : names_(std::move(names)), path_(std::move(path)) {}
  ~MemoryFileLock() override {
    MutexLock lock(names_->mutex);
    names_->locked.erase(path_);
  }

 private:
  const std::shared_ptr<MemoryNames> names_;
  const std::string path_;
};

// Thread-safe. Cost: every operation on names takes one lock.
class MemoryFileSystem final : public FileSystem {
 public:
  MemoryFileSystem() {
    MutexLock lock(names_->mutex);
    names_->files["/"] = nullptr;
  }

  absl::StatusOr<std::unique_ptr<TableFile>> CreateTable(std::string_view path) override {
    auto file = Create(path);
    if (!file.ok()) return file.status();
    return WriteMemoryTable(std::string(path), *std::move(file));
  }
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenTable(std::string_view path) override {
    auto file = Find("open", path);
    if (!file.ok()) return file.status();
    return OpenMemoryFile(std::string(path), *std::move(file));
  }
  absl::StatusOr<std::unique_ptr<LogFile>> CreateLog(std::string_view path,
                                                     uint64_t allocated_bytes) override {
    auto file = Create(path);
    if (!file.ok()) return file.status();
    (*file)->ExtendTo(allocated_bytes);
    return WriteMemoryLog(std::string(path), *std::move(file));
  }
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenLog(std::string_view path) override {
    return OpenTable(path);
  }

  absl::Status ReplaceFile(std::string_view path, std::string_view contents, bool) override;
  absl::StatusOr<std::string> ReadFile(std::string_view path) override;
  absl::Status DeleteFile(std::string_view path) override;
  absl::Status CreateDirectory(std::string_view path) override;
  absl::Status SyncDirectory(std::string_view path) override;
  absl::StatusOr<std::vector<DirectoryEntry>> ListDirectory(std::string_view path) override;
  absl::StatusOr<std::unique_ptr<FileLock>> LockFile(std::string_view path) override;

 private:
  absl::Status NotThere(std::string_view operation, const std::string& path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(names_->mutex) {
    const auto parent = names_->files.find(ParentOfMemoryPath(path));
    return MemoryPathMissing(operation, path,
                             parent != names_->files.end() && parent->second != nullptr);
  }

  // OK when the directory that would hold `path` is there.
  absl::Status CheckParent(std::string_view operation, const std::string& path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(names_->mutex) {
    const auto parent = names_->files.find(ParentOfMemoryPath(path));
    if (parent != names_->files.end() && parent->second == nullptr) return absl::OkStatus();
    return NotThere(operation, path);
  }

  absl::Status CheckIsDirectory(std::string_view operation, const std::string& path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(names_->mutex) {
    const auto found = names_->files.find(path);
    if (found == names_->files.end()) return NotThere(operation, path);
    return found->second == nullptr ? absl::OkStatus()
                                    : MemoryPathMissing(operation, path, /*behind_file=*/true);
  }

  absl::StatusOr<std::shared_ptr<MemoryFile>> Create(std::string_view path) {
    const std::string name = NormaliseMemoryPath(path);
    MutexLock lock(names_->mutex);
    if (absl::Status status = CheckParent("create", name); !status.ok()) return status;
    const auto [entry, inserted] = names_->files.try_emplace(name);
    if (!inserted) {
      return MemoryPathError(absl::StatusCode::kAlreadyExists, "create", name, "File exists");
    }
    entry->second = std::make_shared<MemoryFile>();
    return entry->second;
  }

  absl::StatusOr<std::shared_ptr<MemoryFile>> Find(std::string_view operation,
                                                   std::string_view path) const {
    const std::string name = NormaliseMemoryPath(path);
    MutexLock lock(names_->mutex);
    const auto found = names_->files.find(name);
    if (found == names_->files.end()) return NotThere(operation, name);
    if (found->second == nullptr) {
      return MemoryPathError(absl::StatusCode::kUnavailable, operation, name, "Is a directory");
    }
    return found->second;
  }

  const std::shared_ptr<MemoryNames> names_ = std::make_shared<MemoryNames>();
};

absl::Status MemoryFileSystem::ReplaceFile(std::string_view path, std::string_view contents, bool) {
  auto file = std::make_shared<MemoryFile>();
  file->WriteAt(0, contents);
  file->Finish();
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(names_->mutex);
  if (absl::Status status = CheckParent("replace", name); !status.ok()) return status;
  const auto [entry, inserted] = names_->files.try_emplace(name);
  if (!inserted && entry->second == nullptr) {
    return MemoryPathError(absl::StatusCode::kUnavailable, "replace", name, "Is a directory");
  }
  entry->second = std::move(file);
  return absl::OkStatus();
}

absl::StatusOr<std::string> MemoryFileSystem::ReadFile(std::string_view path) {
  auto file = OpenTable(path);
  if (!file.ok()) return file.status();
  std::string contents(static_cast<size_t>((*file)->size_bytes()), '\0');
  if (absl::Status status = (*file)->Read(0, contents); !status.ok()) return status;
  return contents;
}

absl::Status MemoryFileSystem::DeleteFile(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  auto file = Find("delete", name);
  if (!file.ok()) return file.status();
  MutexLock lock(names_->mutex);
  return names_->files.erase(name) == 0 ? NotThere("delete", name) : absl::OkStatus();
}

absl::Status MemoryFileSystem::CreateDirectory(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(names_->mutex);
  if (absl::Status status = CheckParent("create directory", name); !status.ok()) return status;
  const auto [entry, inserted] = names_->files.try_emplace(name);
  if (inserted || entry->second == nullptr) return absl::OkStatus();
  return MemoryPathError(absl::StatusCode::kAlreadyExists, "create directory", name, "File exists");
}

absl::Status MemoryFileSystem::SyncDirectory(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(names_->mutex);
  return CheckIsDirectory("sync directory", name);
}

absl::StatusOr<std::vector<DirectoryEntry>> MemoryFileSystem::ListDirectory(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(names_->mutex);
  if (absl::Status status = CheckIsDirectory("list directory", name); !status.ok()) return status;
  const std::string prefix = name == "/" ? name : name + "/";
  std::vector<DirectoryEntry> entries;
  for (auto it = names_->files.upper_bound(prefix);
       it != names_->files.end() && it->first.starts_with(prefix); ++it) {
    const std::string entry_name = it->first.substr(prefix.size());
    if (entry_name.find('/') != std::string::npos) continue;
    const bool is_directory = it->second == nullptr;
    entries.push_back({.name = entry_name,
                       .size_bytes = is_directory ? 0 : it->second->size_bytes(),
                       .is_directory = is_directory});
  }
  return entries;
}

absl::StatusOr<std::unique_ptr<FileLock>> MemoryFileSystem::LockFile(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(names_->mutex);
  if (absl::Status status = CheckParent("lock", name); !status.ok()) return status;
  if (names_->locked.contains(name)) {
    return MemoryPathError(absl::StatusCode::kAborted, "lock", name,
                           absl::StrCat("held by this process (process id ", getpid(), ")"));
  }
  const auto [entry, inserted] = names_->files.try_emplace(name);
  std::shared_ptr<MemoryFile>& file = entry->second;
  if (inserted) file = std::make_shared<MemoryFile>();
  if (file == nullptr) {
    return MemoryPathError(absl::StatusCode::kUnavailable, "lock", name, "Is a directory");
  }
  names_->locked.insert(name);
  file->WriteAt(0, absl::StrCat(getpid(), "\n"));
  return std::make_unique<MemoryFileLock>(names_, name);
}

}  // namespace

std::shared_ptr<FileSystem> NewMemoryFileSystem() { return std::make_shared<MemoryFileSystem>(); }

}  // namespace siltstone
