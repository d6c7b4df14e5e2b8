#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "siltstone/event_listener.h"

#include "base/mutex.h"
#include "base/thread_pool.h"
#include "engine/compaction/compaction_job.h"
#include "engine/compaction/compaction_planner.h"
#include "engine/compaction/job_result.h"
#include "engine/db_shared.h"

namespace siltstone {

// Flushes and compactions of an open database: decides when they run, runs them, and is the only one to
// install what they did.
//
// Invariants:
//   I1. At most one flush runs at a time, so that level 0 stays ordered by age.
//   I2. A table is an input of at most one job at a time (busy_tables_).
//   I3. Running jobs of one output level write to disjoint key ranges.
//   I4. An input is picked under the same lock under which a finished job gives its tables free, after its
//       install: so no job works on a table that has gone.
//
// Thread-safe. No lock is held while a job runs or a listener is told.
class DbBackground {
 public:
  explicit DbBackground(DbShared& shared);
  // REQUIRES: Stop was called.
  ~DbBackground() = default;

  // Starts what there is to do, as far as jobs are free.
  void Schedule();

  // Waits until no memtable with this id or an older one waits for its flush, or the database refuses
  // writes: then with that error.
  absl::Status WaitForFlush(uint64_t memtable_id);
  // Waits until fewer than `limit` memtables wait for a flush and fewer than `max_level0_runs` runs lie in
  // level 0, or the database refuses writes. False: that will not come, as no job can make room.
  bool WaitForRoom(size_t limit, size_t max_level0_runs);

  // Flushes in the calling thread all memtables that wait, as one job, and installs it with `extra` folded
  // into its edit. REQUIRES: the database refuses writes, so that no other flush begins.
  absl::Status FlushNow(const VersionEdit& extra);

  absl::Status CompactRange(std::optional<std::string_view> begin,
                            std::optional<std::string_view> end);

  // Lets running jobs end early and waits for them. Nothing is scheduled from then on.
  void Stop();
  bool stopping() const { return stop_.load(); }

 private:
  // What a running job may write: a table that comes to the level meanwhile must not lie in between.
  struct OutputRange {
    int level = 0;
    std::string smallest;
    std::string largest;
    bool operator==(const OutputRange&) const = default;
  };
  struct Job {
    uint64_t id = 0;
    CompactionInputs inputs;
    bool trivial_move = false;
    std::shared_ptr<const Version> base;
  };

  void ScheduleLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Job> PickLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsBusyLocked(const CompactionInputs& inputs) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MarkBusyLocked(const CompactionInputs& inputs, bool busy)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void BackgroundFlush();
  absl::Status Flush(const VersionEdit& extra);
  void BackgroundCompaction(Job job);
  absl::Status Compact(const Job& job);
  void JobEnded(const absl::Status& status);
  // Takes the memtables that wait, oldest first.
  std::vector<std::shared_ptr<MemTable>> ImmutableMemtables() const;

  using Plan = std::function<std::optional<CompactionInputs>(const Version&)>;
  // Runs in the calling thread what `plan` answers, once its tables are free. False: there was nothing to do.
  absl::StatusOr<bool> CompactOnce(const Plan& plan);
  // Drops what no snapshot sees from those tables of the level that hold keys of the range.
  absl::Status RewriteLevel(int level, const KeyRange& range);

  PlanLimits LimitsForPlans() const;
  JobInfo DescribeJob(const Job& job) const;

  DbShared& shared_;
  std::atomic<bool> stop_{false};

  Mutex mutex_;
  CondVar changed_;  // a job ended, or an error was set
  bool flush_running_ ABSL_GUARDED_BY(mutex_) = false;
  int compactions_running_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_job_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::list<OutputRange> running_outputs_ ABSL_GUARDED_BY(mutex_);
  std::set<FileId> busy_tables_ ABSL_GUARDED_BY(mutex_);
  std::set<FileId> damaged_tables_ ABSL_GUARDED_BY(mutex_);  // not compacted again
  std::array<std::string, kLevelCount> cursors_ ABSL_GUARDED_BY(mutex_);

  std::unique_ptr<ThreadPool> pool_;  // last: its threads use the members above
};

}  // namespace siltstone
