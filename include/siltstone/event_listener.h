#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "siltstone/export.h"

namespace siltstone {

// One background job, as it begins or as it ended.
struct JobInfo {
  uint64_t job_id = 0;   // counts from 1 at each Open
  int input_level = -1;  // -1: a flush
  int output_level = 0;
  bool trivial_move = false;
  std::vector<std::string> input_tables = {};   // file names
  std::vector<std::string> output_tables = {};  // file names; empty as a job begins
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  absl::Status status = {};  // of a job that ended
};

// Told what the engine does, for metrics and for tests.
//
// Thread safety: called from several background and writer threads at once, never with a lock of the
// engine held, so that a call may read the database. A job waits while it is told of: a call that blocks
// holds that job (and Close), and one that writes may wait for room that only this job makes.
class SILTSTONE_EXPORT EventListener {
 public:
  virtual ~EventListener() = default;
  virtual void OnFlushBegin(const JobInfo&) {}
  virtual void OnFlushEnd(const JobInfo&) {}
  virtual void OnCompactionBegin(const JobInfo&) {}
  virtual void OnCompactionEnd(const JobInfo&) {}
  // The database refuses writes from now on; `cause` is the first error.
  virtual void OnBackgroundError(const absl::Status& cause) { (void)cause; }
  // A table was opened without its filter, or a torn tail was discarded, or salvage gave something up.
  virtual void OnDamage(const absl::Status& what) { (void)what; }
};

}  // namespace siltstone
