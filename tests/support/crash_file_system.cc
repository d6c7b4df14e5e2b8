#include "tests/support/crash_file_system.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/memory_path.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/status_macros.h"

namespace siltstone {
namespace {

constexpr uint64_t kSectorBytes = 512;

// A file, or a directory (which has no bytes).
struct Node {
  bool is_directory = false;
  std::string bytes;                  // as a reader sees them
  std::string durable;                // as they were when last synced
  uint64_t dirty_begin = UINT64_MAX;  // [dirty_begin, dirty_end) was written since
  uint64_t dirty_end = 0;

  bool is_dirty() const { return dirty_begin < dirty_end || bytes.size() != durable.size(); }

  void WriteAt(uint64_t offset, std::string_view data) {
    const size_t end = static_cast<size_t>(offset) + data.size();
    if (end > bytes.size()) bytes.resize(end);
    if (data.empty()) return;
    std::memcpy(bytes.data() + offset, data.data(), data.size());
    dirty_begin = std::min<uint64_t>(dirty_begin, offset);
    dirty_end = std::max<uint64_t>(dirty_end, end);
  }

  void Sync() {
    durable.resize(bytes.size());
    if (dirty_begin < dirty_end) {
      std::memcpy(durable.data() + dirty_begin, bytes.data() + dirty_begin,
                  static_cast<size_t>(dirty_end - dirty_begin));
    }
    dirty_begin = UINT64_MAX;
    dirty_end = 0;
  }

  std::string AfterPowerCut(PowerCutMode mode, Random& random) const;
};

std::string Node::AfterPowerCut(PowerCutMode mode, Random& random) const {
  if (mode == PowerCutMode::kDropUnsynced || !is_dirty()) return durable;
  if (mode == PowerCutMode::kKeepUnsynced) return bytes;
  std::string found = durable;
  const uint64_t begin = std::min(dirty_begin, dirty_end);  // both 0 when only the size has changed
  const bool sectors = mode == PowerCutMode::kZeroSectors;
  const uint64_t kept_end = sectors ? dirty_end : random.Between(begin, dirty_end);
  // A new size may have reached the disk before the bytes, or only as far as they did.
  const uint64_t new_size = random.OneIn(2) ? bytes.size() : kept_end;
  if (new_size > found.size()) found.resize(static_cast<size_t>(new_size));
  for (uint64_t at = begin; at < kept_end;) {
    const uint64_t end = std::min((at / kSectorBytes + 1) * kSectorBytes, kept_end);
    if (!sectors || random.OneIn(2)) {
      std::memcpy(found.data() + at, bytes.data() + at, static_cast<size_t>(end - at));
    }
    at = end;
  }
  return found;
}

using Names = std::map<std::string, std::shared_ptr<Node>>;

}  // namespace

// Names and nodes, all under one lock.
class CrashFileSystem::Disk {
 public:
  Disk() {
    MutexLock lock(mutex);
    auto root = std::make_shared<Node>();
    root->is_directory = true;
    current["/"] = durable["/"] = root;
  }

  absl::StatusOr<std::shared_ptr<Node>> FindFile(std::string_view operation,
                                                 const std::string& path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const auto found = current.find(path);
    if (found == current.end()) {
      const auto parent = current.find(ParentOfMemoryPath(path));
      return MemoryPathMissing(operation, path,
                               parent != current.end() && !parent->second->is_directory);
    }
    if (found->second->is_directory) {
      return MemoryPathError(absl::StatusCode::kUnavailable, operation, path, "Is a directory");
    }
    return found->second;
  }

  absl::Status CheckDirectory(std::string_view operation, const std::string& path,
                              const std::string& directory) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const auto found = current.find(directory);
    if (found != current.end() && found->second->is_directory) return absl::OkStatus();
    return MemoryPathMissing(operation, path, found != current.end());
  }

  absl::StatusOr<std::shared_ptr<Node>> CreateFile(const std::string& path)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    SILTSTONE_RETURN_IF_ERROR(CheckDirectory("create", path, ParentOfMemoryPath(path)));
    auto& node = current[path];
    if (node != nullptr) {
      return MemoryPathError(absl::StatusCode::kAlreadyExists, "create", path, "File exists");
    }
    node = std::make_shared<Node>();
    return node;
  }

  // Unavailable for what was opened before a power cut.
  absl::Status CheckAlive(uint64_t opened_in, std::string_view operation,
                          const std::string& path) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    if (opened_in == generation) return absl::OkStatus();
    return MemoryPathError(absl::StatusCode::kUnavailable, operation, path, "the power was cut");
  }

  Names NamesAfterPowerCut(PowerCutMode mode, uint64_t seed) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);

  mutable Mutex mutex;
  Names current ABSL_GUARDED_BY(mutex);
  Names durable ABSL_GUARDED_BY(mutex);
  std::set<std::string> locked ABSL_GUARDED_BY(mutex);
  uint64_t generation ABSL_GUARDED_BY(mutex) = 0;
};

Names CrashFileSystem::Disk::NamesAfterPowerCut(PowerCutMode mode, uint64_t seed) const {
  Random random(seed);
  Names all = current;
  all.insert(durable.begin(), durable.end());
  Names found;
  for (const auto& [path, unused] : all) {
    const auto old_entry = durable.find(path);
    const auto new_entry = current.find(path);
    auto node = old_entry == durable.end() ? nullptr : old_entry->second;
    const auto new_node = new_entry == current.end() ? nullptr : new_entry->second;
    const bool random_choice =
        mode != PowerCutMode::kDropUnsynced && mode != PowerCutMode::kKeepUnsynced;
    if (node != new_node &&
        (mode == PowerCutMode::kKeepUnsynced || (random_choice && random.OneIn(2)))) {
      node = new_node;
    }
    // Parents come first in the order of names; what lies in a lost directory is lost.
    if (node == nullptr || (path != "/" && !found.contains(ParentOfMemoryPath(path)))) continue;
    auto copy = std::make_shared<Node>();
    copy->is_directory = node->is_directory;
    copy->bytes = copy->durable = node->AfterPowerCut(mode, random);
    found[path] = std::move(copy);
  }
  return found;
}

namespace {

using Disk = CrashFileSystem::Disk;

// What every open file has.
struct Handle {
  std::shared_ptr<Disk> disk;
  std::string path;
  std::shared_ptr<Node> node;
  uint64_t generation;
};

class CrashRandomAccessFile final : public RandomAccessFile {
 public:
  CrashRandomAccessFile(Handle handle, uint64_t size_bytes)
      : handle_(std::move(handle)), size_bytes_(size_bytes) {}

  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    MutexLock lock(handle_.disk->mutex);
    SILTSTONE_RETURN_IF_ERROR(handle_.disk->CheckAlive(handle_.generation, "read", handle_.path));
    const std::string& bytes = handle_.node->bytes;
    if (out.empty()) return absl::OkStatus();
    if (offset > bytes.size() || out.size() > bytes.size() - offset) {
      return absl::OutOfRangeError(absl::StrCat("cannot read ", handle_.path, " at offset ", offset,
                                                " size ", out.size(), ": the file ends at ",
                                                bytes.size()));
    }
    std::memcpy(out.data(), bytes.data() + offset, out.size());
    return absl::OkStatus();
  }
  uint64_t size_bytes() const override { return size_bytes_; }

 private:
  const Handle handle_;
  const uint64_t size_bytes_;
};

// Appending and syncing, shared by tables and logs.
class Writer {
 public:
  explicit Writer(Handle handle) : handle_(std::move(handle)) {}

  // `act` changes the node.
  template <typename Act>
  absl::Status Do(std::string_view operation, Act act) {
    if (closed_) {
      return MemoryPathError(absl::StatusCode::kFailedPrecondition, operation, handle_.path,
                             "the file is closed");
    }
    MutexLock lock(handle_.disk->mutex);
    SILTSTONE_RETURN_IF_ERROR(
        handle_.disk->CheckAlive(handle_.generation, operation, handle_.path));
    act(*handle_.node);
    return absl::OkStatus();
  }

  absl::Status Append(std::string_view bytes) {
    return Do("append to", [&](Node& node) {
      node.WriteAt(position_, bytes);
      position_ += bytes.size();
    });
  }
  absl::Status Sync() {
    return Do("sync", [](Node& node) { node.Sync(); });
  }
  absl::Status Close() {
    absl::Status status = Do("close", [](Node&) {});
    closed_ = true;
    return status;
  }

 private:
  const Handle handle_;
  uint64_t position_ = 0;
  bool closed_ = false;
};

class CrashTableFile final : public TableFile {
 public:
  explicit CrashTableFile(Handle handle) : writer_(std::move(handle)) {}
  absl::Status Append(std::string_view bytes) override { return writer_.Append(bytes); }
  absl::Status Finish() override {
    SILTSTONE_RETURN_IF_ERROR(writer_.Sync());
    return writer_.Close();
  }

 private:
  Writer writer_;
};

class CrashLogFile final : public LogFile {
 public:
  explicit CrashLogFile(Handle handle) : writer_(std::move(handle)) {}
  absl::Status Append(std::string_view bytes) override { return writer_.Append(bytes); }
  absl::Status Sync() override { return writer_.Sync(); }
  absl::Status Allocate(uint64_t size_bytes) override {
    return writer_.Do("allocate space for", [&](Node& node) {
      if (size_bytes > node.bytes.size()) node.bytes.resize(static_cast<size_t>(size_bytes));
    });
  }
  absl::Status Close() override { return writer_.Close(); }

 private:
  Writer writer_;
};

class CrashFileLock final : public FileLock {
 public:
  CrashFileLock(std::shared_ptr<Disk> disk, std::string path, uint64_t generation)
      : disk_(std::move(disk)), path_(std::move(path)), generation_(generation) {}
  ~CrashFileLock() override {
    MutexLock lock(disk_->mutex);
    if (disk_->generation == generation_) disk_->locked.erase(path_);
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::string path_;
  const uint64_t generation_;
};

}  // namespace

CrashFileSystem::CrashFileSystem() : disk_(std::make_shared<Disk>()) {}
CrashFileSystem::~CrashFileSystem() = default;

void CrashFileSystem::PowerCut(PowerCutMode mode, uint64_t seed) {
  MutexLock lock(disk_->mutex);
  disk_->current = disk_->NamesAfterPowerCut(mode, seed);
  disk_->durable = disk_->current;
  disk_->locked.clear();
  ++disk_->generation;
}

std::shared_ptr<CrashFileSystem> CrashFileSystem::ImageAfterPowerCut(PowerCutMode mode,
                                                                     uint64_t seed) const {
  Names names;
  {
    MutexLock lock(disk_->mutex);
    names = disk_->NamesAfterPowerCut(mode, seed);
  }
  auto image = std::make_shared<CrashFileSystem>();
  MutexLock lock(image->disk_->mutex);
  image->disk_->current = image->disk_->durable = std::move(names);
  return image;
}

uint64_t CrashFileSystem::unsynced_bytes() const {
  MutexLock lock(disk_->mutex);
  uint64_t sum = 0;
  for (const auto& [path, node] : disk_->current) {
    if (node->dirty_begin < node->dirty_end) sum += node->dirty_end - node->dirty_begin;
  }
  return sum;
}

absl::StatusOr<std::unique_ptr<TableFile>> CrashFileSystem::CreateTable(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  auto node = disk_->CreateFile(name);
  if (!node.ok()) return node.status();
  return std::make_unique<CrashTableFile>(Handle{disk_, name, *node, disk_->generation});
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> CrashFileSystem::OpenTable(
    std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  auto node = disk_->FindFile("open", name);
  if (!node.ok()) return node.status();
  return std::make_unique<CrashRandomAccessFile>(Handle{disk_, name, *node, disk_->generation},
                                                 (*node)->bytes.size());
}

absl::StatusOr<std::unique_ptr<LogFile>> CrashFileSystem::CreateLog(std::string_view path,
                                                                    uint64_t allocated_bytes) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  auto node = disk_->CreateFile(name);
  if (!node.ok()) return node.status();
  (*node)->bytes.resize(static_cast<size_t>(allocated_bytes));
  return std::make_unique<CrashLogFile>(Handle{disk_, name, *node, disk_->generation});
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> CrashFileSystem::OpenLog(std::string_view path) {
  return OpenTable(path);
}

absl::Status CrashFileSystem::ReplaceFile(std::string_view path, std::string_view contents, bool) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  SILTSTONE_RETURN_IF_ERROR(disk_->CheckDirectory("replace", name, ParentOfMemoryPath(name)));
  if (const auto old = disk_->current.find(name);
      old != disk_->current.end() && old->second->is_directory) {
    return MemoryPathError(absl::StatusCode::kUnavailable, "replace", name, "Is a directory");
  }
  auto node = std::make_shared<Node>();
  node->bytes = node->durable = std::string(contents);
  disk_->current[name] = disk_->durable[name] = node;
  return absl::OkStatus();
}

absl::StatusOr<std::string> CrashFileSystem::ReadFile(std::string_view path) {
  MutexLock lock(disk_->mutex);
  auto node = disk_->FindFile("read", NormaliseMemoryPath(path));
  if (!node.ok()) return node.status();
  return (*node)->bytes;
}

absl::Status CrashFileSystem::DeleteFile(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  auto node = disk_->FindFile("delete", name);
  if (!node.ok()) return node.status();
  disk_->current.erase(name);
  return absl::OkStatus();
}

absl::Status CrashFileSystem::CreateDirectory(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  if (const auto found = disk_->current.find(name); found != disk_->current.end()) {
    if (found->second->is_directory) return absl::OkStatus();
    return MemoryPathError(absl::StatusCode::kAlreadyExists, "create directory", name,
                           "File exists");
  }
  SILTSTONE_RETURN_IF_ERROR(
      disk_->CheckDirectory("create directory", name, ParentOfMemoryPath(name)));
  auto node = std::make_shared<Node>();
  node->is_directory = true;
  disk_->current[name] = std::move(node);
  return absl::OkStatus();
}

absl::Status CrashFileSystem::SyncDirectory(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  SILTSTONE_RETURN_IF_ERROR(disk_->CheckDirectory("sync directory", name, name));
  const auto lies_here = [&](const auto& entry) {
    return entry.first != "/" && ParentOfMemoryPath(entry.first) == name;
  };
  std::erase_if(disk_->durable, lies_here);
  for (const auto& entry : disk_->current) {
    if (lies_here(entry)) disk_->durable.insert(entry);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DirectoryEntry>> CrashFileSystem::ListDirectory(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  SILTSTONE_RETURN_IF_ERROR(disk_->CheckDirectory("list directory", name, name));
  std::vector<DirectoryEntry> entries;
  for (const auto& [entry_path, node] : disk_->current) {
    if (entry_path == "/" || ParentOfMemoryPath(entry_path) != name) continue;
    entries.push_back({.name = entry_path.substr(entry_path.find_last_of('/') + 1),
                       .size_bytes = node->bytes.size(),
                       .is_directory = node->is_directory});
  }
  return entries;
}

absl::StatusOr<std::unique_ptr<FileLock>> CrashFileSystem::LockFile(std::string_view path) {
  const std::string name = NormaliseMemoryPath(path);
  MutexLock lock(disk_->mutex);
  if (disk_->locked.contains(name)) {
    return MemoryPathError(absl::StatusCode::kAborted, "lock", name,
                           absl::StrCat("held by this process (process id ", getpid(), ")"));
  }
  auto node = disk_->FindFile("lock", name);
  if (absl::IsNotFound(node.status())) node = disk_->CreateFile(name);
  if (!node.ok()) return node.status();
  (*node)->WriteAt(0, absl::StrCat(getpid(), "\n"));
  disk_->locked.insert(name);
  return std::make_unique<CrashFileLock>(disk_, name, disk_->generation);
}

}  // namespace siltstone
