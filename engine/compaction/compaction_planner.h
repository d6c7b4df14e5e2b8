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
std::optional<PlannedCompaction> PlanCompaction(const Version& version, const PlanLimits& limits,
                                                const std::array<std::string, kLevelCount>& cursors,
                                                const std::function<bool(const Table&)>& is_busy);

// What a manual compaction of the range from `level` to the next one takes: all tables of the level that hold keys
// of the range (on level 0, also those that overlap these). Nullopt when there is none.
std::optional<CompactionInputs> PlanRange(const Version& version, const PlanLimits& limits,
                                          int level, const KeyRange& range);

// What rewriting `level` in place takes next: the first stretch of neighbouring tables of the range that hold
// tombstones or several versions of a key and whose file is older than `before`. Nullopt when none is left.
std::optional<CompactionInputs> PlanRewrite(const Version& version, const PlanLimits& limits,
                                            int level, const KeyRange& range, FileId before);

}  // namespace siltstone
