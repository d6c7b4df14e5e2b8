#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/compaction/job_result.h"
#include "engine/compaction/table_output.h"
#include "engine/compaction/table_store.h"
#include "engine/manifest/version.h"

namespace siltstone {

// An output table overlaps at most this many tables' worth of the level below its own.
inline constexpr uint64_t kMaxGrandparentTables = 10;

// What one compaction takes and where its output goes.
struct CompactionInputs {
  int input_level = 0;
  int output_level = 1;                          // equal to input_level: rewritten in place
  std::vector<std::shared_ptr<Table>> inputs;    // of the input level, in the order of the level
  std::vector<std::shared_ptr<Table>> overlaps;  // of the output level, in key order
  std::vector<GrandparentRange> grandparents;
  std::string smallest;  // user keys: the range of inputs and overlaps, which the output stays in
  std::string largest;
  uint64_t target_table_size_bytes = 0;
};

// Merges the inputs into new tables of the output level, dropping what no snapshot can see, and tombstones
// with nothing older beneath them.
//
// `base`: the version the inputs were picked from. `snapshots`: ascending. `stop`: when it becomes true
// the job ends with Cancelled. An error leaves nothing behind.
// Thread-safe. Cost: one sequential pass over the inputs; O(one block a table) of memory.
absl::StatusOr<JobResult> RunCompaction(const TableStore& store, const Version& base,
                                        const CompactionInputs& inputs,
                                        const std::vector<SequenceNumber>& snapshots,
                                        const std::atomic<bool>& stop);

// The edit of a compaction that needs no work: its one input goes down a level as it is.
JobResult MoveDown(const CompactionInputs& inputs);

}  // namespace siltstone
