#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "siltstone/file_system.h"

#include "base/memory_path.h"
#include "base/mutex.h"
#include "base/to_absl.h"

namespace siltstone {
namespace {

absl::Status ClosedStatus(std::string_view operation, const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot ", ToAbsl(operation), " ", path, ": the file is closed"));
}

// The bytes of a file. It lives as long as its name or an open file needs it. Thread-safe, but for bytes()
// after the file was finished: those never change again and are read without the lock.
class MemoryFile {
 public:
  void WriteAt(uint64_t offset, std::string_view bytes) {
    MutexLock lock(mutex_);
    const size_t end = static_cast<size_t>(offset) + bytes.size();
    if (end > bytes_.size()) bytes_.resize(end);
    if (!bytes.empty()) std::memcpy(bytes_.data() + offset, bytes.data(), bytes.size());
  }
  void ExtendTo(uint64_t size_bytes) {
    MutexLock lock(mutex_);
    if (size_bytes > bytes_.size()) bytes_.resize(static_cast<size_t>(size_bytes));
  }
  void Finish() {
    MutexLock lock(mutex_);
    finished_ = true;
  }

  bool finished() const {
    MutexLock lock(mutex_);
    return finished_;
  }
  uint64_t size_bytes() const {
    MutexLock lock(mutex_);
    return bytes_.size();
  }

  // False when the file ends before.
  bool Read(uint64_t offset, std::span<char> out) const {
    MutexLock lock(mutex_);
    return CopyOut(bytes_, offset, out);
  }
  // REQUIRES: finished() was true.
  bool ReadFinished(uint64_t offset, std::span<char> out) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return CopyOut(bytes_, offset, out);
  }

 private:
  static bool CopyOut(const std::string& bytes, uint64_t offset, std::span<char> out) {
    if (out.empty()) return true;
    if (offset > bytes.size() || out.size() > bytes.size() - offset) return false;
    std::memcpy(out.data(), bytes.data() + offset, out.size());
    return true;
  }

  mutable Mutex mutex_;
  std::string bytes_ ABSL_GUARDED_BY(mutex_);
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

class MemoryRandomAccessFile final : public RandomAccessFile {
 public:
  MemoryRandomAccessFile(std::string path, std::shared_ptr<MemoryFile> file)
      : path_(std::move(path)),
        file_(std::move(file)),
        finished_(file_->finished()),
        size_bytes_(file_->size_bytes()) {}

  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    if (finished_ ? file_->ReadFinished(offset, out) : file_->Read(offset, out)) {
      return absl::OkStatus();
    }
    return absl::OutOfRangeError(absl::StrCat("cannot read ", path_, " at offset ", offset,
                                              " size ", out.size(), ": the file ends at ",
                                              file_->size_bytes()));
  }
  uint64_t size_bytes() const override { return size_bytes_; }

 private:
  const std::string path_;
  const std::shared_ptr<MemoryFile> file_;
  const bool finished_;
  const uint64_t size_bytes_;
};

class MemoryTableFile final : public TableFile {
 public:
  MemoryTableFile(std::string path, std::shared_ptr<MemoryFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  absl::Status Append(std::string_view bytes) override {
    if (file_ == nullptr) return ClosedStatus("append to", path_);
    file_->WriteAt(position_, bytes);
    position_ += bytes.size();
    return absl::OkStatus();
  }
  absl::Status Finish() override {
    if (file_ == nullptr) return ClosedStatus("finish", path_);
    file_->Finish();
    file_ = nullptr;
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  std::shared_ptr<MemoryFile> file_;  // null: finished
  uint64_t position_ = 0;
};

class MemoryLogFile final : public LogFile {
 public:
  MemoryLogFile(std::string path, std::shared_ptr<MemoryFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  absl::Status Append(std::string_view bytes) override {
    if (file_ == nullptr) return ClosedStatus("append to", path_);
    file_->WriteAt(position_, bytes);
    position_ += bytes.size();
    return absl::OkStatus();
  }
  absl::Status Sync() override {
    return file_ == nullptr ? ClosedStatus("sync", path_) : absl::OkStatus();
  }
  absl::Status Allocate(uint64_t size_bytes) override {
    if (file_ == nullptr) return ClosedStatus("allocate space for", path_);
    file_->ExtendTo(size_bytes);
    return absl::OkStatus();
  }
  absl::Status Close() override {
    if (file_ == nullptr) return ClosedStatus("close", path_);
    file_ = nullptr;
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  std::shared_ptr<MemoryFile> file_;  // null: closed
  uint64_t position_ = 0;
};

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
    return std::make_unique<MemoryTableFile>(std::string(path), *std::move(file));
  }
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenTable(std::string_view path) override {
    auto file = Find("open", path);
    if (!file.ok()) return file.status();
    return std::make_unique<MemoryRandomAccessFile>(std::string(path), *std::move(file));
  }
  absl::StatusOr<std::unique_ptr<LogFile>> CreateLog(std::string_view path,
                                                     uint64_t allocated_bytes) override {
    auto file = Create(path);
    if (!file.ok()) return file.status();
    (*file)->ExtendTo(allocated_bytes);
    return std::make_unique<MemoryLogFile>(std::string(path), *std::move(file));
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
  // OK when the directory that would hold `path` is there.
  absl::Status CheckParent(std::string_view operation, const std::string& path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(names_->mutex) {
    const auto parent = names_->files.find(ParentOfMemoryPath(path));
    if (parent != names_->files.end() && parent->second == nullptr) return absl::OkStatus();
    return MemoryPathError(absl::StatusCode::kNotFound, operation, path,
                           "No such file or directory");
  }

  absl::Status CheckIsDirectory(std::string_view operation, const std::string& path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(names_->mutex) {
    const auto found = names_->files.find(path);
    if (found != names_->files.end() && found->second == nullptr) return absl::OkStatus();
    return MemoryPathError(
        absl::StatusCode::kNotFound, operation, path,
        found == names_->files.end() ? "No such file or directory" : "Not a directory");
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
    if (found == names_->files.end()) {
      return MemoryPathError(absl::StatusCode::kNotFound, operation, name,
                             "No such file or directory");
    }
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
  if (names_->files.erase(name) == 0) {
    return MemoryPathError(absl::StatusCode::kNotFound, "delete", name,
                           "No such file or directory");
  }
  return absl::OkStatus();
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
