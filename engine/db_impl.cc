#include "engine/db_impl.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/clock.h"
#include "base/fork_generation.h"
#include "base/status_macros.h"
#include "engine/db_statistics.h"
#include "engine/maintenance/verify.h"

namespace siltstone {
namespace {

// A try writes all memtables to tables, on a disk that may still be full: after each in vain the next one waits twice
// as long.
constexpr uint64_t kMinResumeIntervalMicros = 10'000;
constexpr uint64_t kMaxResumeIntervalMicros = 1'000'000;

}  // namespace

DbImpl::DbImpl(std::shared_ptr<DbShared> shared, std::unique_ptr<FileLock> lock,
               std::unique_ptr<LogWriter> log)
    : shared_(std::move(shared)),
      fork_generation_(ForkGeneration()),
      resume_interval_micros_(kMinResumeIntervalMicros),
      lock_(std::move(lock)),
      reader_(shared_) {
  if (shared_->read_only) return;
  background_ = std::make_unique<DbBackground>(*shared_);
  writer_ = std::make_unique<DbWriter>(*shared_, *background_, std::move(log));
  background_->Schedule();
}

DbImpl::~DbImpl() {
  Close().IgnoreError();
  if (!IsForkedCopy()) return;
  // Left alone: destroying them would wait for threads and locks that are the parent's.
  (void)background_.release();
  (void)writer_.release();
  (void)new std::shared_ptr<DbShared>(shared_);
}

bool DbImpl::IsForkedCopy() const { return ForkGeneration() != fork_generation_; }

absl::Status DbImpl::CheckOpen() const {
  if (IsForkedCopy()) {
    return absl::FailedPreconditionError(
        absl::StrCat("database ", shared_->path,
                     " was opened by the parent of this process: a child opens it itself"));
  }
  if (!shared_->closed.load(std::memory_order_acquire)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("database ", shared_->path, " is closed"));
}

absl::Status DbImpl::CheckWritable() const {
  SILTSTONE_RETURN_IF_ERROR(CheckOpen());
  if (writer_ != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "database ", shared_->path, " was opened read-only: open it without read_only to write"));
}

void DbImpl::ResumeWhenSpaceIsBack() {
  if (shared_->error.ok() || !absl::IsResourceExhausted(shared_->error.cause())) return;
  const uint64_t now = NowMicros();
  const uint64_t interval = resume_interval_micros_.load();
  uint64_t due = next_resume_micros_.load();
  if (now < due || !next_resume_micros_.compare_exchange_strong(due, now + interval)) return;
  if (writer_->Resume().ok()) {
    resume_interval_micros_.store(kMinResumeIntervalMicros);
    shared_->Log(LogLevel::kInfo, "there is space again: writes are taken again");
  } else {
    resume_interval_micros_.store(std::min(2 * interval, kMaxResumeIntervalMicros));
  }
}

absl::Status DbImpl::Put(std::string_view key, std::string_view value,
                         const WriteOptions& options) {
  WriteBatch batch;
  batch.Put(key, value);
  return Write(batch, options);
}

absl::Status DbImpl::Delete(std::string_view key, const WriteOptions& options) {
  WriteBatch batch;
  batch.Delete(key);
  return Write(batch, options);
}

absl::Status DbImpl::Write(WriteBatch& batch, const WriteOptions& options) {
  SILTSTONE_RETURN_IF_ERROR(CheckWritable());
  ResumeWhenSpaceIsBack();
  return writer_->Write(batch, options);
}

absl::StatusOr<bool> DbImpl::PutIfAbsent(std::string_view key, std::string_view value,
                                         const WriteOptions& options) {
  SILTSTONE_RETURN_IF_ERROR(CheckWritable());
  ResumeWhenSpaceIsBack();
  return writer_->PutIfAbsent(key, value, options);
}

DB::GetResult DbImpl::Get(std::string_view key, const ReadOptions& options) {
  return reader_.Get(key, options);
}

void DbImpl::MultiGet(std::span<const std::string_view> keys, std::span<GetResult> out,
                      const ReadOptions& options) {
  reader_.MultiGet(keys, out, options);
}

bool DbImpl::MayContain(std::string_view key) { return reader_.MayContain(key); }

std::unique_ptr<Iterator> DbImpl::NewIterator(const ReadOptions& options) {
  return reader_.NewIterator(options);
}

Snapshot DbImpl::GetSnapshot() {
  return SnapshotList::Take(shared_->snapshots, shared_->visible_sequence);
}

absl::Status DbImpl::Flush() {
  SILTSTONE_RETURN_IF_ERROR(CheckWritable());
  ResumeWhenSpaceIsBack();
  const absl::StatusOr<uint64_t> memtable = writer_->CloseMemtable();
  if (!memtable.ok()) return memtable.status();
  return background_->WaitForFlush(*memtable);
}

absl::Status DbImpl::CompactRange(std::optional<std::string_view> begin,
                                  std::optional<std::string_view> end) {
  SILTSTONE_RETURN_IF_ERROR(Flush());
  return background_->CompactRange(begin, end);
}

absl::Status DbImpl::Close() {
  if (shared_->closed.load()) return absl::OkStatus();
  if (IsForkedCopy()) return CheckOpen();
  absl::Status status;
  if (writer_ != nullptr) {
    // Without a log the memtables are all there is.
    if (shared_->options.durability == Durability::kNone) status = Flush();
    background_->Stop();
    status.Update(writer_->Close());
    status.Update(shared_->error.cause());
    // Iterators may live on and let go of more tables: the next open deletes their files. Once the lock is gone
    // another database may stand here, with files of the same names.
    shared_->obsolete_files->Hold();
  }
  shared_->closed.store(true, std::memory_order_release);
  lock_.reset();
  return status;
}

absl::Status DbImpl::Resume() {
  SILTSTONE_RETURN_IF_ERROR(CheckWritable());
  return writer_->Resume();
}

std::string DbImpl::GetProperty(std::string_view name) { return PropertyText(*shared_, name); }

Statistics DbImpl::GetStatistics() { return CollectStatistics(*shared_); }

MemoryReport DbImpl::GetMemoryReport() { return shared_->ReportMemory(); }

absl::Status DbImpl::VerifyChecksums() {
  SILTSTONE_RETURN_IF_ERROR(CheckOpen());
  const ReadView* view = shared_->views->Acquire();
  const absl::Status status = VerifyTables(*view->version);
  view->Unref();
  if (!status.ok()) return status;
  return VerifyLogs(*shared_->file_system, shared_->path, shared_->order, /*live=*/true);
}

}  // namespace siltstone
