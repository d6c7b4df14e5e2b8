#include "engine/compaction/compaction_planner.h"

#include <algorithm>
#include <utility>

#include "engine/compaction/compaction_picker.h"

namespace siltstone {
namespace {

// A table of less than this part of the size meant for tables is small: it costs as much as a large one (an open
// file, a place in the manifest, a step of every search by level) and holds next to nothing.
constexpr uint64_t kSmallTableDivisor = 16;

struct Hull {
  std::string_view smallest;
  std::string_view largest;
};

// The least range of user keys that holds all the tables. REQUIRES: there is one.
Hull HullOf(KeyOrder order, const std::vector<std::shared_ptr<Table>>& tables, Hull hull) {
  for (const auto& table : tables) {
    const std::string_view smallest = table->meta.smallest_user_key();
    const std::string_view largest = table->meta.largest_user_key();
    if (order.CompareUserKeys(smallest, hull.smallest) < 0) hull.smallest = smallest;
    if (order.CompareUserKeys(largest, hull.largest) > 0) hull.largest = largest;
  }
  return hull;
}

Hull HullOf(KeyOrder order, const std::vector<std::shared_ptr<Table>>& tables) {
  const TableMeta& first = tables.front()->meta;
  return HullOf(order, tables, {first.smallest_user_key(), first.largest_user_key()});
}

// Tables of level 0 overlap one another. One may go down only together with those that overlap it: an older one
// left above would hide the newer entries.
std::vector<std::shared_ptr<Table>> CloseOverLevel0(const Version& version,
                                                    std::vector<std::shared_ptr<Table>> tables) {
  for (;;) {
    const Hull hull = HullOf(version.order(), tables);
    std::vector<std::shared_ptr<Table>> wider = version.Overlapping(0, hull.smallest, hull.largest);
    if (wider.size() == tables.size()) return tables;
    tables = std::move(wider);
  }
}

void FindOverlaps(const Version& version, CompactionInputs* inputs) {
  if (inputs->output_level == inputs->input_level) return;
  const Hull hull = HullOf(version.order(), inputs->inputs);
  inputs->overlaps = version.Overlapping(inputs->output_level, hull.smallest, hull.largest);
}

// Range and grandparents of inputs whose tables are set.
void Complete(const Version& version, const PlanLimits& limits, CompactionInputs* inputs) {
  const Hull hull =
      HullOf(version.order(), inputs->overlaps, HullOf(version.order(), inputs->inputs));
  if (inputs->output_level + 1 < kLevelCount) {
    for (const auto& table :
         version.Overlapping(inputs->output_level + 1, hull.smallest, hull.largest)) {
      inputs->grandparents.push_back(
          {std::string(table->meta.largest_user_key()), table->meta.file_size_bytes});
    }
  }
  inputs->smallest = std::string(hull.smallest);
  inputs->largest = std::string(hull.largest);
  inputs->target_table_size_bytes = limits.target_table_size_bytes;
}

bool NeedsRewrite(const Table& table, FileId before) {
  return table.meta.file_id() < before &&
         (table.meta.tombstones != 0 || table.meta.entries != table.meta.distinct_keys);
}

PickerLevels DescribeLevels(const Version& version,
                            const std::function<bool(const Table&)>& is_busy) {
  PickerLevels levels;
  version.ForEachTable([&](int level, const Table& table) {
    levels[static_cast<size_t>(level)].push_back({.smallest = table.meta.smallest_user_key(),
                                                  .largest = table.meta.largest_user_key(),
                                                  .size_bytes = table.meta.file_size_bytes,
                                                  .busy = is_busy(table)});
  });
  return levels;
}

std::vector<std::shared_ptr<Table>> TablesAt(const Version& version, int level,
                                             const std::vector<size_t>& indices) {
  const std::vector<std::shared_ptr<Table>> tables = version.Overlapping(level, {}, {});
  std::vector<std::shared_ptr<Table>> chosen;
  for (size_t index : indices) chosen.push_back(tables[index]);
  return chosen;
}

}  // namespace

std::optional<PlannedCompaction> PlanCompaction(const Version& version, const PlanLimits& limits,
                                                const std::array<std::string, kLevelCount>& cursors,
                                                const std::function<bool(const Table&)>& is_busy) {
  std::array<std::string_view, kLevelCount> cursor_views;
  for (size_t level = 0; level < cursors.size(); ++level) {
    if (!cursors[level].empty()) cursor_views[level] = cursors[level];
  }
  const std::optional<Pick> pick = PickCompaction(
      DescribeLevels(version, is_busy), version.order(),
      {.base_level_size_bytes = limits.base_level_size_bytes,
       .max_grandparent_bytes = kMaxGrandparentTables * limits.target_table_size_bytes,
       .small_table_bytes = limits.target_table_size_bytes / kSmallTableDivisor},
      cursor_views);
  if (!pick.has_value()) return std::nullopt;
  PlannedCompaction planned;
  planned.trivial_move = pick->trivial_move;
  planned.inputs.input_level = pick->input_level;
  planned.inputs.output_level = pick->output_level;
  planned.inputs.inputs = TablesAt(version, pick->input_level, pick->inputs);
  planned.inputs.overlaps = TablesAt(version, pick->output_level, pick->overlaps);
  Complete(version, limits, &planned.inputs);
  return planned;
}

std::optional<CompactionInputs> PlanRange(const Version& version, const PlanLimits& limits,
                                          int level, const KeyRange& range) {
  CompactionInputs inputs;
  inputs.input_level = level;
  inputs.output_level = level + 1;
  inputs.inputs = version.Overlapping(level, range.begin, range.end);
  if (inputs.inputs.empty()) return std::nullopt;
  if (level == 0) inputs.inputs = CloseOverLevel0(version, std::move(inputs.inputs));
  FindOverlaps(version, &inputs);
  Complete(version, limits, &inputs);
  return inputs;
}

std::optional<CompactionInputs> PlanRewrite(const Version& version, const PlanLimits& limits,
                                            int level, const KeyRange& range, FileId before) {
  CompactionInputs inputs;
  inputs.input_level = level;
  inputs.output_level = level;
  const std::vector<std::shared_ptr<Table>> tables =
      version.Overlapping(level, range.begin, range.end);
  auto table = tables.begin();
  while (table != tables.end() && !NeedsRewrite(**table, before)) ++table;
  // Only neighbours go together: an output table must not reach over one that stays.
  while (table != tables.end() && NeedsRewrite(**table, before)) inputs.inputs.push_back(*table++);
  if (inputs.inputs.empty()) return std::nullopt;
  Complete(version, limits, &inputs);
  return inputs;
}

}  // namespace siltstone
