#include "engine/db_background.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/epoch.h"
#include "base/status_macros.h"
#include "base/to_absl.h"
#include "engine/compaction/compaction_planner.h"
#include "engine/compaction/flush_job.h"
#include "engine/manifest/file_names.h"

namespace siltstone {

DbBackground::DbBackground(DbShared& shared)
    : shared_(shared),
      pool_(std::make_unique<ThreadPool>(std::max(2, shared.options.max_background_jobs))) {}

void DbBackground::Schedule() {
  MutexLock lock(mutex_);
  ScheduleLocked();
}

void DbBackground::ScheduleLocked() {
  if (stop_.load() || !shared_.error.ok()) return;
  if (!flush_running_ && !ImmutableMemtables().empty()) {
    flush_running_ = true;
    pool_->Schedule([this] { BackgroundFlush(); });
  }
  // One thread stays free for flushes: writers wait for those.
  const int compaction_limit = pool_->thread_count() - 1;
  while (compactions_running_ < compaction_limit) {
    std::optional<Job> job = PickLocked();
    if (!job.has_value()) return;
    ++compactions_running_;
    pool_->Schedule(
        [this, picked = *std::move(job)]() mutable { BackgroundCompaction(std::move(picked)); });
  }
}

PlanLimits DbBackground::LimitsForPlans() const {
  return {.base_level_size_bytes = shared_.limits.base_level_size_bytes,
          .target_table_size_bytes = shared_.limits.target_table_size_bytes};
}

std::optional<DbBackground::Job> DbBackground::PickLocked() {
  Job job;
  job.base = shared_.versions->current();
  const auto is_busy = [this](const Table& table) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    const FileId key = table.meta.file_id();
    return busy_tables_.contains(key) || damaged_tables_.contains(key);
  };
  std::optional<PlannedCompaction> planned =
      PlanCompaction(*job.base, LimitsForPlans(), cursors_, is_busy);
  if (!planned.has_value() || IsBusyLocked(planned->inputs)) return std::nullopt;
  job.inputs = std::move(planned->inputs);
  job.trivial_move = planned->trivial_move;
  job.id = next_job_id_++;
  if (job.inputs.input_level > 0) {
    cursors_[job.inputs.input_level] =
        std::string(ExtractUserKey(job.inputs.inputs.back()->meta.largest));
  }
  MarkBusyLocked(job.inputs, true);
  return job;
}

bool DbBackground::IsBusyLocked(const CompactionInputs& inputs) const {
  for (const auto* tables : {&inputs.inputs, &inputs.overlaps}) {
    for (const std::shared_ptr<Table>& table : *tables) {
      if (busy_tables_.contains(table->meta.file_id())) return true;
    }
  }
  for (const OutputRange& running : running_outputs_) {
    if (running.level == inputs.output_level &&
        shared_.order.CompareUserKeys(running.smallest, inputs.largest) <= 0 &&
        shared_.order.CompareUserKeys(running.largest, inputs.smallest) >= 0) {
      return true;
    }
  }
  return false;
}

void DbBackground::MarkBusyLocked(const CompactionInputs& inputs, bool busy) {
  const OutputRange range = {inputs.output_level, inputs.smallest, inputs.largest};
  if (busy) {
    running_outputs_.push_back(range);
  } else {
    running_outputs_.erase(std::find(running_outputs_.begin(), running_outputs_.end(), range));
  }
  for (const auto* tables : {&inputs.inputs, &inputs.overlaps}) {
    for (const std::shared_ptr<Table>& table : *tables) {
      if (busy) {
        busy_tables_.insert(table->meta.file_id());
      } else {
        busy_tables_.erase(table->meta.file_id());
      }
    }
  }
}

std::vector<std::shared_ptr<MemTable>> DbBackground::ImmutableMemtables() const {
  EpochGuard guard;
  const ReadView& view = shared_.views->current();
  return {view.immutables.rbegin(), view.immutables.rend()};
}

void DbBackground::BackgroundFlush() {
  absl::Status status = Flush({});
  if (!status.ok() && !absl::IsCancelled(status)) shared_.Fail(status);
  {
    MutexLock lock(mutex_);
    flush_running_ = false;
  }
  JobEnded(status);
}

absl::Status DbBackground::Flush(const VersionEdit& extra) {
  const std::vector<std::shared_ptr<MemTable>> memtables = ImmutableMemtables();
  JobInfo info;
  {
    MutexLock lock(mutex_);
    info.job_id = next_job_id_++;
  }
  if (shared_.options.listener != nullptr) shared_.options.listener->OnFlushBegin(info);

  absl::StatusOr<JobResult> result = RunFlush(*shared_.table_store, *shared_.versions->current(),
                                              memtables, shared_.snapshots->Sequences());
  absl::Status status = result.status();
  std::vector<std::string> retired_logs;
  if (status.ok()) {
    VersionEdit& edit = result->edit;
    // A log is retired only when all its entries are in tables: a memtable and its log bear one number.
    for (const ManifestLog& log : shared_.versions->state().logs) {
      for (const std::shared_ptr<MemTable>& memtable : memtables) {
        if (memtable->id() != log.number || log.epoch != shared_.epoch) continue;
        edit.logs_retired.push_back({log.epoch, log.number});
        retired_logs.push_back(LogFileName({log.epoch, log.number}));
      }
    }
    edit.logs_begun = extra.logs_begun;
    edit.last_sequence = std::max(edit.last_sequence.value_or(0), extra.last_sequence.value_or(0));
    status = shared_.versions->Install(
        edit, result->tables, [&](const std::shared_ptr<const Version>& version) {
          shared_.views->Change([&](ReadView* view) {
            view->version = version;
            std::erase_if(view->immutables, [&](const std::shared_ptr<MemTable>& memtable) {
              return std::find(memtables.begin(), memtables.end(), memtable) != memtables.end();
            });
          });
        });
  }
  info.status = status;
  if (status.ok()) {
    for (const std::string& name : retired_logs) shared_.obsolete_files->Add(name);
    for (const auto& table : result->tables) info.output_tables.push_back(table->meta.FileName());
    info.bytes_written = result->bytes_written;
    shared_.counters.Add(kFlushes, 1);
    shared_.counters.Add(kFlushBytesWritten, result->bytes_written);
    shared_.counters.Add(kEntriesDropped, result->entries_dropped);
  }
  if (shared_.options.listener != nullptr) shared_.options.listener->OnFlushEnd(info);
  return status;
}

void DbBackground::BackgroundCompaction(Job job) {
  const absl::Status status = Compact(job);
  {
    MutexLock lock(mutex_);
    MarkBusyLocked(job.inputs, false);
    --compactions_running_;
    // Damage stops neither writes nor the other tables; but the same inputs would fail for ever.
    if (absl::IsDataLoss(status)) {
      for (const auto& table : job.inputs.inputs) {
        damaged_tables_.insert(table->meta.file_id());
      }
    }
  }
  if (!status.ok() && !absl::IsCancelled(status)) {
    if (absl::IsDataLoss(status)) {
      shared_.Log(LogLevel::kError, absl::StrCat("compaction given up: ", status.message()));
      if (shared_.options.listener != nullptr) shared_.options.listener->OnDamage(status);
    } else {
      shared_.Fail(status);
    }
  }
  job = Job();  // lets go of its tables: their files can be deleted at once
  JobEnded(status);
}

JobInfo DbBackground::DescribeJob(const Job& job) const {
  JobInfo info;
  info.job_id = job.id;
  info.input_level = job.inputs.input_level;
  info.output_level = job.inputs.output_level;
  info.trivial_move = job.trivial_move;
  for (const auto* tables : {&job.inputs.inputs, &job.inputs.overlaps}) {
    for (const auto& table : *tables) info.input_tables.push_back(table->meta.FileName());
  }
  return info;
}

absl::Status DbBackground::Compact(const Job& job) {
  JobInfo info = DescribeJob(job);
  if (shared_.options.listener != nullptr) shared_.options.listener->OnCompactionBegin(info);
  absl::StatusOr<JobResult> result =
      job.trivial_move ? absl::StatusOr<JobResult>(MoveDown(job.inputs))
                       : RunCompaction(*shared_.table_store, *job.base, job.inputs,
                                       shared_.snapshots->Sequences(), stop_);
  absl::Status status = result.status();
  if (status.ok()) {
    status = shared_.versions->Install(
        result->edit, result->tables, [&](const std::shared_ptr<const Version>& version) {
          shared_.views->Change([&](ReadView* view) { view->version = version; });
        });
  }
  info.status = status;
  if (status.ok()) {
    if (job.trivial_move) {
      job.inputs.inputs.front()->SetLevel(job.inputs.output_level);
      shared_.counters.Add(kTrivialMoves, 1);
    } else {
      for (const auto* tables : {&job.inputs.inputs, &job.inputs.overlaps}) {
        for (const auto& table : *tables) table->MarkObsolete();
      }
      for (const auto& table : result->tables) info.output_tables.push_back(table->meta.FileName());
      shared_.counters.Add(kCompactions, 1);
      shared_.counters.Add(kCompactionBytesRead, result->bytes_read);
      shared_.counters.Add(kCompactionBytesWritten, result->bytes_written);
      shared_.counters.Add(kEntriesDropped, result->entries_dropped);
    }
    info.bytes_read = result->bytes_read;
    info.bytes_written = result->bytes_written;
  }
  if (shared_.options.listener != nullptr) shared_.options.listener->OnCompactionEnd(info);
  return status;
}

void DbBackground::JobEnded(const absl::Status& status) {
  if (status.ok()) shared_.BalanceMemory();
  // Views that were replaced keep their tables; letting go of them is what makes files deletable.
  EpochCollect();
  shared_.obsolete_files->Delete();
  MutexLock lock(mutex_);
  ScheduleLocked();
  changed_.NotifyAll();
}

absl::Status DbBackground::WaitForFlush(uint64_t memtable_id) {
  MutexLock lock(mutex_);
  for (;;) {
    bool waiting = false;
    for (const auto& memtable : ImmutableMemtables()) waiting |= memtable->id() <= memtable_id;
    if (!waiting) return absl::OkStatus();
    if (!shared_.error.ok()) return shared_.error.Refusal();
    if (stop_.load()) return absl::FailedPreconditionError("the database is being closed");
    ScheduleLocked();
    changed_.Wait(mutex_);
  }
}

bool DbBackground::WaitForRoom(size_t limit, size_t max_level0_runs) {
  MutexLock lock(mutex_);
  for (;;) {
    if (!shared_.error.ok() || stop_.load()) return true;
    size_t immutables = 0;
    size_t level0_runs = 0;
    {
      EpochGuard guard;
      const ReadView& view = shared_.views->current();
      immutables = view.immutables.size();
      level0_runs = view.version->level(0).runs.size();
    }
    if (immutables < limit && level0_runs < max_level0_runs) return true;
    ScheduleLocked();
    // No job that could make room: waiting would be for ever (damaged tables are not compacted).
    if (!flush_running_ && compactions_running_ == 0) return false;
    changed_.Wait(mutex_);
  }
}

absl::Status DbBackground::FlushNow(const VersionEdit& extra) {
  {
    MutexLock lock(mutex_);
    while (flush_running_) changed_.Wait(mutex_);
    flush_running_ = true;
  }
  const absl::Status status = Flush(extra);
  {
    MutexLock lock(mutex_);
    flush_running_ = false;
  }
  JobEnded(status);
  return status;
}

void DbBackground::Stop() {
  stop_.store(true);
  {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
  }
  pool_.reset();  // waits for the jobs
  EpochCollect();
  shared_.obsolete_files->Delete();
}

}  // namespace siltstone
