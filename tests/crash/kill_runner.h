#pragma once

#include <cstdint>
#include <string>

namespace siltstone {

// What a run of killings showed.
struct KillReport {
  int kills = 0;
  int kills_during_jobs = 0;         // while a flush or compaction had begun and not ended
  uint64_t acknowledged = 0;         // operations, over all rounds
  uint64_t unacknowledged_kept = 0;  // that were there after recovery all the same, whole
  std::string failure;               // empty: all was as it must be
};

// Starts, `rounds` times, a child process that opens the database in `directory` and writes batches from two
// threads, half of them kSync and half kBuffered, telling of each acknowledgement through a pipe; kills it at a
// random moment, mostly while a flush or compaction is under way; then opens the database and compares: for each
// thread everything acknowledged must be there, and of the one operation that was not, all or nothing.
KillReport RunKills(const std::string& directory, uint64_t seed, int rounds);

// RunKills in a directory of its own, and the expectations: nothing lost, and at least half of the kills in the
// middle of a job.
void ExpectKillsLoseNothing(int rounds);

}  // namespace siltstone
