#include "tests/support/fault_file_system.h"

#include <thread>
#include <utility>

#include "base/file_poison.h"
#include "base/mutex.h"
#include "base/status_macros.h"

namespace siltstone {

std::string_view FileOperationName(FileOperation operation) {
  static constexpr std::array<std::string_view, kFileOperationCount> kNames = {
      "create table", "append table",     "finish table",   "create log", "append log", "sync log",
      "allocate log", "close log",        "replace",        "open",       "read",       "list",
      "delete",       "create directory", "sync directory", "lock"};
  return kNames[static_cast<size_t>(operation)];
}

// What was counted and what is to fail. Thread-safe.
class FaultFileSystem::Control {
 public:
  struct Verdict {
    absl::Status status;
    Fault::Effect effect = Fault::Effect::kNone;
  };

  // Counts a call and says whether it fails.
  Verdict Judge(FileOperation operation, std::string_view path) {
    Hook hook;
    {
      MutexLock lock(mutex_);
      hook = hook_;
    }
    if (hook) hook(operation, path);
    MutexLock lock(mutex_);
    ++counts_[static_cast<size_t>(operation)];
    for (ArmedFault& armed : faults_) {
      const Fault& fault = armed.fault;
      if (fault.operation.has_value() && *fault.operation != operation) continue;
      if (path.find(fault.path_contains) == std::string_view::npos) continue;
      ++armed.matched;
      if (armed.matched == fault.nth || (fault.from_then_on && armed.matched > fault.nth)) {
        ++fault_count_;
        return {fault.status, fault.effect};
      }
    }
    return {};
  }

  // A call without parts: `act` does it.
  template <typename Act>
  absl::Status Do(FileOperation operation, std::string_view path, Act act) {
    Verdict verdict = Judge(operation, path);
    if (verdict.status.ok()) return act();
    if (verdict.effect == Fault::Effect::kDone) act().IgnoreError();
    return verdict.status;
  }
  // The same for a call with a result.
  template <typename Act>
  auto Get(FileOperation operation, std::string_view path, Act act) -> decltype(act()) {
    Verdict verdict = Judge(operation, path);
    if (verdict.status.ok()) return act();
    if (verdict.effect == Fault::Effect::kDone) act().status().IgnoreError();
    return verdict.status;
  }
  // The same for an append.
  template <typename File>
  absl::Status Append(FileOperation operation, std::string_view path, File& file,
                      std::string_view bytes) {
    Verdict verdict = Judge(operation, path);
    if (verdict.status.ok()) return file.Append(bytes);
    if (verdict.effect == Fault::Effect::kHalf) bytes = bytes.substr(0, bytes.size() / 2);
    if (verdict.effect != Fault::Effect::kNone) file.Append(bytes).IgnoreError();
    return verdict.status;
  }

  void Inject(Fault fault) {
    MutexLock lock(mutex_);
    faults_.push_back({std::move(fault)});
  }
  void ClearFaults() {
    MutexLock lock(mutex_);
    faults_.clear();
  }
  void SetSyncDelay(std::chrono::microseconds delay) {
    MutexLock lock(mutex_);
    sync_delay_ = delay;
  }
  void SetHook(Hook hook) {
    MutexLock lock(mutex_);
    hook_ = std::move(hook);
  }

  uint64_t count() const {
    MutexLock lock(mutex_);
    uint64_t sum = 0;
    for (const uint64_t count : counts_) sum += count;
    return sum;
  }
  uint64_t count(FileOperation operation) const {
    MutexLock lock(mutex_);
    return counts_[static_cast<size_t>(operation)];
  }
  uint64_t fault_count() const {
    MutexLock lock(mutex_);
    return fault_count_;
  }
  std::chrono::microseconds sync_delay() const {
    MutexLock lock(mutex_);
    return sync_delay_;
  }

 private:
  struct ArmedFault {
    Fault fault;
    uint64_t matched = 0;
  };

  mutable Mutex mutex_;
  std::vector<ArmedFault> faults_ ABSL_GUARDED_BY(mutex_);
  std::array<uint64_t, kFileOperationCount> counts_ ABSL_GUARDED_BY(mutex_) = {};
  uint64_t fault_count_ ABSL_GUARDED_BY(mutex_) = 0;
  std::chrono::microseconds sync_delay_ ABSL_GUARDED_BY(mutex_){0};
  Hook hook_ ABSL_GUARDED_BY(mutex_);
};

namespace {

using Control = FaultFileSystem::Control;

class FaultRandomAccessFile final : public RandomAccessFile {
 public:
  FaultRandomAccessFile(std::shared_ptr<Control> control, std::string path,
                        std::unique_ptr<RandomAccessFile> base)
      : control_(std::move(control)), path_(std::move(path)), base_(std::move(base)) {}

  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    return control_->Do(FileOperation::kRead, path_, [&] { return base_->Read(offset, out); });
  }
  uint64_t size_bytes() const override { return base_->size_bytes(); }

 private:
  const std::shared_ptr<Control> control_;
  const std::string path_;
  const std::unique_ptr<RandomAccessFile> base_;
};

class FaultTableFile final : public TableFile {
 public:
  FaultTableFile(std::shared_ptr<Control> control, std::string path,
                 std::unique_ptr<TableFile> base)
      : control_(std::move(control)), path_(std::move(path)), base_(std::move(base)) {}

  absl::Status Append(std::string_view bytes) override {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    return poison_.Record(control_->Append(FileOperation::kAppendTable, path_, *base_, bytes));
  }
  absl::Status Finish() override {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    return poison_.Record(
        control_->Do(FileOperation::kFinishTable, path_, [&] { return base_->Finish(); }));
  }

 private:
  const std::shared_ptr<Control> control_;
  const std::string path_;
  const std::unique_ptr<TableFile> base_;
  FilePoison poison_;
};

class FaultLogFile final : public LogFile {
 public:
  FaultLogFile(std::shared_ptr<Control> control, std::string path, std::unique_ptr<LogFile> base)
      : control_(std::move(control)), path_(std::move(path)), base_(std::move(base)) {}

  absl::Status Append(std::string_view bytes) override {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    return poison_.Record(control_->Append(FileOperation::kAppendLog, path_, *base_, bytes));
  }
  absl::Status Sync() override {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    if (const auto delay = control_->sync_delay(); delay.count() > 0) {
      std::this_thread::sleep_for(delay);
    }
    return poison_.Record(
        control_->Do(FileOperation::kSyncLog, path_, [&] { return base_->Sync(); }));
  }
  absl::Status Allocate(uint64_t size_bytes) override {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    return poison_.Record(control_->Do(FileOperation::kAllocateLog, path_,
                                       [&] { return base_->Allocate(size_bytes); }));
  }
  absl::Status Close() override {
    if (!poison_.status().ok()) {
      base_->Close().IgnoreError();
      return poison_.status();
    }
    return poison_.Record(
        control_->Do(FileOperation::kCloseLog, path_, [&] { return base_->Close(); }));
  }

 private:
  const std::shared_ptr<Control> control_;
  const std::string path_;
  const std::unique_ptr<LogFile> base_;
  FilePoison poison_;
};

// Wraps an opened file, or hands on the error.
template <typename Wrapper, typename Interface>
absl::StatusOr<std::unique_ptr<Interface>> Wrap(const std::shared_ptr<Control>& control,
                                                std::string_view path,
                                                absl::StatusOr<std::unique_ptr<Interface>> base) {
  if (!base.ok()) return base.status();
  return std::make_unique<Wrapper>(control, std::string(path), *std::move(base));
}

}  // namespace

FaultFileSystem::FaultFileSystem(std::shared_ptr<FileSystem> base)
    : base_(std::move(base)), control_(std::make_shared<Control>()) {}
FaultFileSystem::~FaultFileSystem() = default;

void FaultFileSystem::Inject(Fault fault) { control_->Inject(std::move(fault)); }
void FaultFileSystem::ClearFaults() { control_->ClearFaults(); }
uint64_t FaultFileSystem::operation_count() const { return control_->count(); }
uint64_t FaultFileSystem::operation_count(FileOperation operation) const {
  return control_->count(operation);
}
uint64_t FaultFileSystem::fault_count() const { return control_->fault_count(); }
void FaultFileSystem::SetSyncDelay(std::chrono::microseconds delay) {
  control_->SetSyncDelay(delay);
}
void FaultFileSystem::SetHook(Hook hook) { control_->SetHook(std::move(hook)); }

absl::StatusOr<std::unique_ptr<TableFile>> FaultFileSystem::CreateTable(std::string_view path) {
  return Wrap<FaultTableFile>(control_, path, control_->Get(FileOperation::kCreateTable, path, [&] {
    return base_->CreateTable(path);
  }));
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> FaultFileSystem::OpenTable(
    std::string_view path) {
  return Wrap<FaultRandomAccessFile>(control_, path, control_->Get(FileOperation::kOpen, path, [&] {
    return base_->OpenTable(path);
  }));
}

absl::StatusOr<std::unique_ptr<LogFile>> FaultFileSystem::CreateLog(std::string_view path,
                                                                    uint64_t allocated_bytes) {
  return Wrap<FaultLogFile>(control_, path, control_->Get(FileOperation::kCreateLog, path, [&] {
    return base_->CreateLog(path, allocated_bytes);
  }));
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> FaultFileSystem::OpenLog(std::string_view path) {
  return Wrap<FaultRandomAccessFile>(control_, path, control_->Get(FileOperation::kOpen, path, [&] {
    return base_->OpenLog(path);
  }));
}

absl::Status FaultFileSystem::ReplaceFile(std::string_view path, std::string_view contents,
                                          bool is_secret) {
  return control_->Do(FileOperation::kReplace, path,
                      [&] { return base_->ReplaceFile(path, contents, is_secret); });
}

absl::StatusOr<std::string> FaultFileSystem::ReadFile(std::string_view path) {
  return control_->Get(FileOperation::kRead, path, [&] { return base_->ReadFile(path); });
}

absl::Status FaultFileSystem::DeleteFile(std::string_view path) {
  return control_->Do(FileOperation::kDelete, path, [&] { return base_->DeleteFile(path); });
}

absl::Status FaultFileSystem::CreateDirectory(std::string_view path) {
  return control_->Do(FileOperation::kCreateDirectory, path,
                      [&] { return base_->CreateDirectory(path); });
}

absl::Status FaultFileSystem::SyncDirectory(std::string_view path) {
  return control_->Do(FileOperation::kSyncDirectory, path,
                      [&] { return base_->SyncDirectory(path); });
}

absl::StatusOr<std::vector<DirectoryEntry>> FaultFileSystem::ListDirectory(std::string_view path) {
  return control_->Get(FileOperation::kList, path, [&] { return base_->ListDirectory(path); });
}

absl::StatusOr<std::unique_ptr<FileLock>> FaultFileSystem::LockFile(std::string_view path) {
  return control_->Get(FileOperation::kLock, path, [&] { return base_->LockFile(path); });
}

}  // namespace siltstone
