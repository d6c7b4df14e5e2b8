#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

#include "base/internal_key.h"
#include "engine/manifest/manifest_state.h"
#include "memtable/memtable.h"

namespace siltstone {

struct LogReplayOptions {
  FileSystem& file_system;
  std::string directory;
  KeyOrder order;
  TableId database_id;
  // Go on behind damage, and note what was lost.
  bool salvage = false;
  // A writer may be appending to the last log meanwhile.
  bool live = false;
};

// What the logs held that is in no table yet.
struct ReplayedLogs {
  std::vector<std::shared_ptr<MemTable>>
      memtables;                     // oldest first, none empty; the id is the log's number
  SequenceNumber last_sequence = 0;  // at least the manifest's
  uint64_t records = 0;
  uint64_t torn_bytes = 0;          // of a tail that a crash cut short: nothing acknowledged
  std::vector<std::string> losses;  // salvage: what was given up
};

// Reads the logs that the manifest names, in order, into memtables. Writes nothing. DataLoss where a log that the
// manifest names is missing, is damaged (DESIGN of the log: FORMAT.md "Where a log ends"), holds a malformed group,
// or goes back in sequence numbers. Single-threaded. Memory: the entries of all logs.
absl::StatusOr<ReplayedLogs> ReplayLogs(const LogReplayOptions& options,
                                        const ManifestState& state);

}  // namespace siltstone
