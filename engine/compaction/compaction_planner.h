#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal_key.h"
#include "engine/compaction/compaction_job.h"
#include "engine/manifest/version.h"

// Between the picker, which chooses among plain values, and the jobs, which work on open tables: says what the
// picker's choice means in a Version. Pure functions; no I/O.

namespace siltstone {

// User keys from begin to end, both included; nullopt: open.
struct KeyRange {
  std::optional<std::string_view> begin;
  std::optional<std::string_view> end;
};

struct PlanLimits {
  uint64_t base_level_size_bytes = 0;
  uint64_t target_table_size_bytes = 0;
};

struct PlannedCompaction {
  CompactionInputs inputs;
  bool trivial_move = false;
};

// The most needed compaction that touches no table for which `is_busy` holds, or nullopt.
std::optional<PlannedCompaction> PlanCompaction(
    const Version& version, KeyOrder order, const PlanLimits& limits,
    const std::array<std::string, kLevelCount>& cursors,
    const std::function<bool(const Table&)>& is_busy);

// The tables of a level that hold keys of the range.
std::vector<std::shared_ptr<Table>> TablesInRange(const Version& version, KeyOrder order, int level,
                                                  const KeyRange& range);

// What a manual compaction of the range from `level` to `output_level` takes: nullopt when nothing is left to do.
// With equal levels, only tables that hold tombstones or more than one version of a key are rewritten.
std::optional<CompactionInputs> PlanRange(const Version& version, KeyOrder order,
                                          const PlanLimits& limits, int level, int output_level,
                                          const KeyRange& range);

}  // namespace siltstone
