#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "siltstone/file_system.h"

namespace siltstone {

enum class FileOperation {
  kCreateTable,
  kAppendTable,
  kFinishTable,
  kCreateLog,
  kAppendLog,
  kSyncLog,
  kAllocateLog,
  kCloseLog,
  kReplace,
  kOpen,  // OpenTable, OpenLog
  kRead,  // Read (each request of a batch) and ReadFile
  kList,
  kDelete,
  kCreateDirectory,
  kSyncDirectory,
  kLock,
};
inline constexpr size_t kFileOperationCount = 16;

// "append log" and so on.
std::string_view FileOperationName(FileOperation operation);

// Which calls fail, and how.
//
//   fs->Inject({.operation = FileOperation::kSyncLog, .nth = 3});
//   fs->Inject({.nth = n, .from_then_on = true, .effect = Fault::Effect::kHalf});
struct Fault {
  enum class Effect {
    kNone,  // the failing call has no effect
    kHalf,  // a failing append writes the first half of its bytes; others: no effect
    kDone,  // the call is carried out, and then reported as failed
  };

  std::optional<FileOperation> operation = {};  // unset: any
  std::string path_contains = {};               // empty: any
  uint64_t nth = 1;           // the n-th matching call from now on; 1 is the next one
  bool from_then_on = false;  // that one and all later ones
  Effect effect = Effect::kNone;
  absl::Status status = absl::UnavailableError("injected");
};

// Counts the operations on a file system and lets chosen ones fail. A file of which a call failed that
// poisons (append, allocate, sync, finish) is poisoned as siltstone/file_system.h demands.
//
// Thread safety: thread-safe.
class FaultFileSystem : public FileSystem {
 public:
  explicit FaultFileSystem(std::shared_ptr<FileSystem> base);
  ~FaultFileSystem() override;

  void Inject(Fault fault);
  void ClearFaults();

  // Calls so far, failed ones included; calls on poisoned files are not counted.
  uint64_t operation_count() const;
  uint64_t operation_count(FileOperation operation) const;
  // Calls that were made to fail.
  uint64_t fault_count() const;

  // Each Sync of a log takes this much longer.
  void SetSyncDelay(std::chrono::microseconds delay);
  // Called before each counted call, with no lock held; null: nobody is.
  using Hook = std::function<void(FileOperation operation, std::string_view path)>;
  void SetHook(Hook hook);

  absl::StatusOr<std::unique_ptr<TableFile>> CreateTable(std::string_view path) override;
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenTable(std::string_view path) override;
  absl::StatusOr<std::unique_ptr<LogFile>> CreateLog(std::string_view path,
                                                     uint64_t allocated_bytes) override;
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenLog(std::string_view path) override;
  absl::Status ReplaceFile(std::string_view path, std::string_view contents,
                           bool is_secret = false) override;
  absl::StatusOr<std::string> ReadFile(std::string_view path) override;
  absl::Status DeleteFile(std::string_view path) override;
  absl::Status CreateDirectory(std::string_view path) override;
  absl::Status SyncDirectory(std::string_view path) override;
  absl::StatusOr<std::vector<DirectoryEntry>> ListDirectory(std::string_view path) override;
  absl::StatusOr<std::unique_ptr<FileLock>> LockFile(std::string_view path) override;

  // Shared with the open files, which may outlive the file system.
  class Control;

 private:
  const std::shared_ptr<FileSystem> base_;
  const std::shared_ptr<Control> control_;
};

}  // namespace siltstone
