#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "base/internal_key.h"
#include "engine/manifest/version_edit.h"

namespace siltstone {

// A log that is begun and not retired.
struct ManifestLog {
  uint64_t epoch = 0;
  uint64_t number = 0;
  uint64_t minimum_size = 0;                 // bytes
  std::optional<uint64_t> sealed_size = {};  // bytes; set once the log is closed
  bool operator==(const ManifestLog&) const = default;
  FileId file_id() const { return {epoch, number}; }
};

// All that a manifest says at one point: the fold of its edits. A plain value; nothing is open.
//
// Invariants (kept by Apply; FORMAT.md M8 to M13):
//   I1. levels[0] is newest first, by sequence number, and the sequence ranges of its tables are disjoint.
//   I2. Deeper levels ascend, and the user-key ranges of their tables are disjoint.
//   I3. No table is there twice. No table or log is of an epoch above `epoch`.
//   I4. last_sequence is at least every table's; next_file_number is above every table's and log's.
//   I5. Logs ascend by number, and by epoch.
// Thread safety: thread-compatible.
struct ManifestState {
  uint64_t epoch = 0;  // 0: no edit was applied yet
  std::string comparator_name;
  RecordedTableOptions table_options;
  SequenceNumber last_sequence = 0;
  uint64_t next_file_number = 1;
  std::array<std::vector<TableMeta>, kLevelCount> levels;
  std::vector<ManifestLog> logs;

  bool operator==(const ManifestState&) const = default;

  // Applies all of `edit`, or, with DataLoss that says what does not fit and without a place, nothing.
  // Cost: O(tables of the levels touched + tables added * log).
  absl::Status Apply(const VersionEdit& edit, KeyOrder order);
};

// The edit that makes `state` out of an empty one: the first record of a manifest.
VersionEdit SnapshotOf(const ManifestState& state);

}  // namespace siltstone
