#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "engine/compaction/compaction_planner.h"
#include "engine/db_background.h"

// Manual compaction: level by level, in the calling thread, beside the jobs that run by themselves.

namespace siltstone {

namespace {

// The deepest level with keys of the range, -1 where none has any.
int DeepestLevel(const Version& version, const KeyRange& range) {
  for (int level = kLevelCount - 1; level >= 0; --level) {
    if (!version.Overlapping(level, range.begin, range.end).empty()) return level;
  }
  return -1;
}

}  // namespace

absl::Status DbBackground::CompactRange(std::optional<std::string_view> begin,
                                        std::optional<std::string_view> end) {
  const KeyRange range = {begin, end};
  int deepest = DeepestLevel(*shared_.versions->current(), range);
  if (deepest < 0) return absl::OkStatus();
  int level = 0;
  // A job that ran beside this may have carried tombstones, listed before the present snapshots
  // were, to a level below the deepest one: until there is none such, go on from there.
  do {
    // What lies in level 0 alone goes to level 1, so that its versions and tombstones meet.
    const int bottom = std::max(deepest, 1);
    for (; level < bottom; ++level) {
      const absl::StatusOr<bool> ran = CompactOnce([&](const Version& version) {
        return PlanRange(version, LimitsForPlans(), level, range);
      });
      if (!ran.ok()) return ran.status();
    }
    const absl::Status rewritten = RewriteLevel(bottom, range);
    if (!rewritten.ok()) return rewritten;
    deepest = DeepestLevel(*shared_.versions->current(), range);
  } while (deepest > level);
  return absl::OkStatus();
}

absl::Status DbBackground::RewriteLevel(int level, const KeyRange& range) {
  // Tables written from here on have seen the present snapshots: once is enough for each.
  const FileId before = {shared_.epoch, shared_.versions->NewFileNumber()};
  for (;;) {
    const absl::StatusOr<bool> ran = CompactOnce([&](const Version& version) {
      return PlanRewrite(version, LimitsForPlans(), level, range, before);
    });
    if (!ran.ok()) return ran.status();
    if (!*ran) return absl::OkStatus();
  }
}

absl::StatusOr<bool> DbBackground::CompactOnce(const Plan& plan) {
  Job job;
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (stop_.load()) return absl::FailedPreconditionError("the database is being closed");
      if (!shared_.error.ok()) return shared_.error.Refusal();
      job.base = shared_.versions->current();
      std::optional<CompactionInputs> inputs = plan(*job.base);
      if (!inputs.has_value()) return false;
      job.inputs = *std::move(inputs);
      if (!IsBusyLocked(job.inputs)) break;
      changed_.Wait(mutex_);
    }
    job.id = next_job_id_++;
    MarkBusyLocked(job.inputs, true);
  }
  const absl::Status status = Compact(job);
  {
    MutexLock lock(mutex_);
    MarkBusyLocked(job.inputs, false);
  }
  if (!status.ok() && !absl::IsCancelled(status) && !absl::IsDataLoss(status)) {
    shared_.Fail(status);
  }
  job = Job();  // lets go of its tables: their files can be deleted at once
  JobEnded(status);
  if (!status.ok()) return status;
  return true;
}

}  // namespace siltstone
