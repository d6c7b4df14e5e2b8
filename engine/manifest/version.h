#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "base/internal_key.h"
#include "engine/manifest/run.h"
#include "engine/manifest/table.h"

namespace siltstone {

struct Level {
  std::vector<Run> runs;  // newest first
};

// The tables that make up a database at one moment. Readers hold on to a version and thereby to its tables.
//
// Invariants (CheckInvariants):
//   I1. Level 0: runs of one table each, newest first; their sequence ranges are disjoint.
//   I2. Deeper levels: at most one run, in key order, user-key ranges disjoint. So of one user key the versions
//       in level L are newer than those in level L + 1, and all of a level's versions of it are in one table.
//   I3. No table is there twice.
//
// Thread safety: immutable. A version does no I/O.
class Version {
 public:
  // Without tables.
  explicit Version(KeyOrder order) : order_(order) {}
  Version(KeyOrder order, std::array<Level, kLevelCount> levels);
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;

  const Level& level(int level) const { return levels_[static_cast<size_t>(level)]; }
  KeyOrder order() const { return order_; }

  // Calls function(int level, const Table&) for every table: level by level, run by run, in key order.
  template <typename Function>
  void ForEachTable(Function function) const {
    for (int level = 0; level < kLevelCount; ++level) {
      for (const Run& run : levels_[static_cast<size_t>(level)].runs) {
        for (const std::shared_ptr<Table>& table : run.tables()) function(level, *table);
      }
    }
  }

  // The tables of `level` that may hold keys from `begin` to `end`, both included, nullopt: open. Newest run
  // first, then in key order.
  std::vector<std::shared_ptr<Table>> Overlapping(int level, std::optional<std::string_view> begin,
                                                  std::optional<std::string_view> end) const;

  // Whether the range of a table of a level deeper than `level` holds the key; so, when not, nothing of this
  // key lies beneath. Cost: one Run::Find a level.
  bool HasKeyBelow(int level, std::string_view user_key) const;

  uint64_t LevelSizeBytes(int level) const;
  size_t LevelTableCount(int level) const;
  size_t table_count() const;

  // InternalError, which names the tables, when an invariant does not hold. Cost: O(n log n) in the tables.
  absl::Status CheckInvariants() const;

 private:
  absl::Status CheckLevel0() const;
  absl::Status CheckRun(int level, const Run& run) const;

  KeyOrder order_;
  std::array<Level, kLevelCount> levels_;
};

}  // namespace siltstone
