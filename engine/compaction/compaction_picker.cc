#include "engine/compaction/compaction_picker.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace siltstone {
namespace {

struct KeyHull {
  std::string_view smallest;
  std::string_view largest;
};

class Picker {
 public:
  Picker(const PickerLevels& levels, KeyOrder order, const PickerLimits& limits)
      : levels_(levels), order_(order), limits_(limits) {}

  // One level-0 job at a time: the next one would find the same tables, or newer ones above them.
  std::optional<Pick> PickLevel0() const {
    const std::vector<PickerTable>& tables = levels_[0];
    if (tables.empty() || AnyBusy(tables)) return std::nullopt;
    // The oldest goes, with all that overlap it.
    Pick pick;
    KeyHull hull = {tables.back().smallest, tables.back().largest};
    std::vector<size_t> inputs = Overlapping(0, hull);
    for (size_t before = 0; before != inputs.size();) {
      before = inputs.size();
      hull = Widen(0, inputs, hull);
      inputs = Overlapping(0, hull);
    }
    pick.inputs = std::move(inputs);
    std::optional<Pick> complete = Complete(0, hull, std::move(pick));
    if (!complete.has_value() || InputBytes(*complete) >= limits_.small_table_bytes) {
      return complete;
    }
    return GatherSmall(*std::move(complete));
  }

  std::optional<Pick> PickDeep(int level, std::string_view cursor, bool has_cursor) const {
    const std::vector<PickerTable>& tables = levels_[level];
    size_t start = 0;
    while (has_cursor && start < tables.size() &&
           order_.CompareUserKeys(tables[start].smallest, cursor) <= 0) {
      ++start;
    }
    for (size_t i = 0; i < tables.size(); ++i) {
      const size_t index = (start + i) % tables.size();
      if (tables[index].busy) continue;
      Pick pick;
      pick.inputs = {index};
      std::optional<Pick> complete =
          Complete(level, {tables[index].smallest, tables[index].largest}, std::move(pick));
      if (complete.has_value()) return complete;
    }
    return std::nullopt;
  }

 private:
  static bool AnyBusy(const std::vector<PickerTable>& tables) {
    return std::any_of(tables.begin(), tables.end(),
                       [](const PickerTable& table) { return table.busy; });
  }

  bool Overlaps(const PickerTable& table, const KeyHull& hull) const {
    return order_.CompareUserKeys(table.largest, hull.smallest) >= 0 &&
           order_.CompareUserKeys(table.smallest, hull.largest) <= 0;
  }

  std::vector<size_t> Overlapping(int level, const KeyHull& hull) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < levels_[level].size(); ++i) {
      if (Overlaps(levels_[level][i], hull)) found.push_back(i);
    }
    return found;
  }

  KeyHull Widen(int level, const std::vector<size_t>& indices, KeyHull hull) const {
    for (size_t index : indices) {
      const PickerTable& table = levels_[level][index];
      if (order_.CompareUserKeys(table.smallest, hull.smallest) < 0) hull.smallest = table.smallest;
      if (order_.CompareUserKeys(table.largest, hull.largest) > 0) hull.largest = table.largest;
    }
    return hull;
  }

  // Overlaps and the kind of the pick; nullopt when busy tables are in the way.
  std::optional<Pick> Complete(int level, const KeyHull& hull, Pick pick) const {
    pick.input_level = level;
    pick.output_level = level + 1;
    pick.overlaps = Overlapping(level + 1, hull);
    for (size_t index : pick.overlaps) {
      if (levels_[level + 1][index].busy) return std::nullopt;
    }
    // A job on its way to the same level would have made its overlaps busy; a level above this one whose output
    // goes here has made its own busy, among them every table that this hull could meet.
    pick.trivial_move = pick.inputs.size() == 1 && pick.overlaps.empty() &&
                        GrandparentBytes(level + 2, hull) <= limits_.max_grandparent_bytes;
    return pick;
  }

  uint64_t InputBytes(const Pick& pick) const {
    uint64_t bytes = 0;
    for (size_t index : pick.inputs) bytes += levels_[pick.input_level][index].size_bytes;
    return bytes;
  }

  // Programs that open, write little and close, each time behind the keys that are there, would otherwise leave
  // a table a time on level 1, which no limit of bytes ever moves; and every table costs an open file. Neighbours
  // join while they are no larger than what was gathered before: an entry is then rewritten O(log n) times, and
  // O(log n) small tables stand in a row.
  Pick GatherSmall(Pick narrow) const {
    Pick wide;
    for (size_t i = 0; i < levels_[0].size(); ++i) wide.inputs.push_back(i);
    const KeyHull hull = Widen(0, wide.inputs, {levels_[0][0].smallest, levels_[0][0].largest});
    std::optional<Pick> complete = Complete(0, hull, std::move(wide));
    const uint64_t most_bytes = limits_.level0_trigger_tables * limits_.small_table_bytes;
    if (!complete.has_value() || InputBytes(*complete) >= most_bytes) return narrow;
    JoinNeighbours(hull, &*complete);
    return *std::move(complete);
  }

  // Adds to the overlaps of a level-0 pick the small tables of level 1 beside them.
  void JoinNeighbours(const KeyHull& hull, Pick* pick) const {
    const std::vector<PickerTable>& next = levels_[1];
    // The output's place among the tables of level 1: [begin, end) is overlapped or joins.
    size_t begin = 0;
    while (begin < next.size() && order_.CompareUserKeys(next[begin].largest, hull.smallest) < 0) {
      ++begin;
    }
    size_t end = begin + pick->overlaps.size();
    uint64_t gathered = InputBytes(*pick);
    for (size_t index : pick->overlaps) gathered += next[index].size_bytes;
    const auto joins = [&](size_t index) {
      if (index >= next.size() || next[index].busy) return false;
      if (next[index].size_bytes > std::min(gathered, limits_.small_table_bytes)) return false;
      gathered += next[index].size_bytes;
      return true;
    };
    while (joins(begin - 1))
      --begin;  // in front of the first table the index wraps around, and none joins
    while (joins(end)) ++end;
    pick->overlaps.resize(end - begin);
    std::iota(pick->overlaps.begin(), pick->overlaps.end(), begin);
    pick->trivial_move = pick->trivial_move && pick->overlaps.empty();
  }

  uint64_t GrandparentBytes(int level, const KeyHull& hull) const {
    if (level >= kLevelCount) return 0;
    uint64_t bytes = 0;
    for (size_t index : Overlapping(level, hull)) bytes += levels_[level][index].size_bytes;
    return bytes;
  }

  const PickerLevels& levels_;
  const KeyOrder order_;
  const PickerLimits& limits_;
};

}  // namespace

double CompactionScore(const PickerLevels& levels, const PickerLimits& limits, int level) {
  if (level == kLevelCount - 1) return 0;
  double amount = 0;
  for (const PickerTable& table : levels[level]) {
    if (!table.busy) amount += level == 0 ? 1 : static_cast<double>(table.size_bytes);
  }
  if (level == 0) return amount / static_cast<double>(limits.level0_trigger_tables);
  double limit = static_cast<double>(limits.base_level_size_bytes);
  for (int i = 1; i < level; ++i) limit *= static_cast<double>(limits.level_size_factor);
  return amount / limit;
}

std::optional<Pick> PickCompaction(const PickerLevels& levels, KeyOrder order,
                                   const PickerLimits& limits,
                                   const std::array<std::string_view, kLevelCount>& cursors) {
  std::vector<std::pair<double, int>> due;
  for (int level = 0; level + 1 < kLevelCount; ++level) {
    const double score = CompactionScore(levels, limits, level);
    if (score >= 1) due.emplace_back(-score, level);
  }
  std::sort(due.begin(), due.end());
  const Picker picker(levels, order, limits);
  for (const auto& [score, level] : due) {
    std::optional<Pick> pick =
        level == 0 ? picker.PickLevel0()
                   : picker.PickDeep(level, cursors[level], cursors[level].data() != nullptr);
    if (pick.has_value()) return pick;
  }
  return std::nullopt;
}

}  // namespace siltstone
