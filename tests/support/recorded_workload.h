#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "siltstone/db.h"

namespace siltstone {

// A single writer's operations, the same for the same seed: what was acknowledged, and which states the database
// may be found in after a fault or a crash.
//
// Thread safety: thread-compatible.
class RecordedWorkload {
 public:
  using State = std::map<std::string, std::string>;

  explicit RecordedWorkload(uint64_t seed) : seed_(seed) {}

  // Tiny buffers, so that a few hundred operations flush and compact.
  static Options SmallOptions(std::shared_ptr<FileSystem> file_system);

  // Runs the next `count` operations (batches of 1 to 5 puts and deletes, now and then a Flush), until one fails.
  // Answers that failure. With `sync` every write asks for kSync, else for kBuffered.
  absl::Status Run(DB& db, int count, bool sync);

  // Whether `state` is what the acknowledged operations up to some number at or above `at_least` made, or that and
  // the one operation that failed. Sets the number.
  bool IsPrefix(const State& state, uint64_t at_least, uint64_t* operations) const;

  // Number of acknowledged operations, all told.
  uint64_t acknowledged() const { return states_.size() - 1; }
  // The state after each acknowledged operation, beginning with the empty one.
  const std::vector<State>& states() const { return states_; }
  // What the failed operation would have made; nothing failed: the newest state.
  const State& attempted() const { return attempted_; }
  // Goes on from operation `number`, as a database that was found there.
  void ResumeAt(const State& state);

 private:
  const uint64_t seed_;
  uint64_t next_ = 0;
  std::vector<State> states_ = {{}};
  State attempted_;
};

// Everything an iterator finds; the status is the iterator's.
absl::StatusOr<RecordedWorkload::State> ReadAll(DB& db);

}  // namespace siltstone
