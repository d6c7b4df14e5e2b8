#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/internal_key.h"
#include "engine/manifest/table_meta.h"

// Which compaction is needed most: a pure function of plain values.
//
// Leveled: level 0 is due at kLevel0Trigger tables, level 1 at a size, each deeper level at ten times the size of the
// one above. The level that exceeds its limit by the largest factor goes first; of a level, its tables take turns
// in key order, so that the whole key range moves down evenly.

namespace siltstone {

// One table as the picker sees it.
struct PickerTable {
  std::string_view smallest;  // user keys
  std::string_view largest;
  uint64_t size_bytes = 0;
  bool busy = false;  // an input of a running job, or not to be compacted at all
};

// Tables by level: level 0 newest first, deeper levels in key order.
using PickerLevels = std::array<std::vector<PickerTable>, kLevelCount>;

struct PickerLimits {
  size_t level0_trigger_tables = 4;
  uint64_t base_level_size_bytes = 0;  // of level 1
  uint64_t level_size_factor = 10;
  // A table is moved down as it is only if it overlaps less than this of the level below its new one: a later
  // compaction of it must not become huge.
  uint64_t max_grandparent_bytes = 0;
  // Level-0 tables of less than this together are not let down as they are: they join one another and small
  // neighbours on level 1. 0: all are.
  uint64_t small_table_bytes = 0;
};

// Indices into the levels given.
struct Pick {
  int input_level = 0;
  int output_level = 1;
  std::vector<size_t> inputs;    // of the input level, ascending
  std::vector<size_t> overlaps;  // of the output level, ascending, with small neighbours
  bool trivial_move = false;     // no rewriting: one input, nothing overlaps it
};

// How far a level is beyond its limit; due from 1 on. The deepest level has no limit. Tables that are busy on their
// way down do not count.
double CompactionScore(const PickerLevels& levels, const PickerLimits& limits, int level);

// `cursors[level]`: the largest user key that was compacted last; the next pick of the level begins behind it, or
// at the front when there is nothing behind. Nullopt when no level is due, or every due one is held up by busy
// tables. Two picks of which the first's tables are busy never share a table, nor overlap in one output level.
// Cost: O(tables) for each level that is due.
std::optional<Pick> PickCompaction(const PickerLevels& levels, KeyOrder order,
                                   const PickerLimits& limits,
                                   const std::array<std::string_view, kLevelCount>& cursors);

}  // namespace siltstone
