#include "tools/filter_report.h"

#include <algorithm>
#include <functional>
#include <map>

#include "filter/allocation.h"

namespace siltstone::tools {
namespace {

constexpr double kUsualChances[] = {0.1, 0.03, 0.01, 0.003, 0.001, 0.0001};

// The rates of the level's runs, summed: each table is a run, or the tables make up `runs` of them.
void SumOverRuns(const std::vector<const TableStatistics*>& tables, LevelFilters* level) {
  const bool table_is_run = level->runs == level->tables || level->keys == 0;
  for (const TableStatistics* table : tables) {
    const double weight = table_is_run ? 1
                                       : static_cast<double>(level->runs) *
                                             static_cast<double>(table->distinct_keys) /
                                             static_cast<double>(level->keys);
    level->configured += weight * table->configured_fp_chance;
    level->predicted += weight * table->predicted_fp_rate;
    if (table_is_run) level->run_keys.push_back(table->distinct_keys);
  }
  if (!table_is_run) level->run_keys.assign(level->runs, level->keys / level->runs);
}

// Filter checks for absent keys since Open, and how many of them were wasted reads.
struct Seen {
  uint64_t checks = 0;
  uint64_t wasted = 0;
};
Seen SeenOn(const LevelStatistics& level) {
  return {level.filter_negatives_since_open + level.filter_false_positives_since_open,
          level.filter_false_positives_since_open};
}

FilterKind KindOfRun(FilterKind kind, bool bottom) {
  if (kind != FilterKind::kAuto) return kind;
  return bottom ? FilterKind::kRibbon : FilterKind::kBloom;
}

// The runs of all levels, the deepest last.
std::vector<FilterRun> AllRuns(const std::vector<LevelFilters>& levels, FilterKind kind) {
  std::vector<FilterRun> runs;
  for (const LevelFilters& level : levels) {
    for (const uint64_t keys : level.run_keys) runs.push_back({keys, KindOfRun(kind, false)});
  }
  if (!runs.empty()) runs.back().kind = KindOfRun(kind, levels.back().level > 0);
  return runs;
}

FilterAdvice Advise(const Statistics& statistics, const std::vector<LevelFilters>& levels,
                    const FilterSettings& settings) {
  FilterAdvice advice;
  advice.settings = settings;
  const std::vector<FilterRun> runs = AllRuns(levels, settings.kind);
  std::vector<double> chances(runs.size(), settings.chance);
  if (settings.allocation == FilterAllocation::kByLevel) {
    chances = AllocateChances(runs, settings.chance);
  }
  Seen all;
  double wasted_of_seen = 0;
  double keys = 0;
  size_t run = 0;
  for (const LevelFilters& level : levels) {
    double chances_of_level = 0;
    for (size_t i = 0; i < level.run_keys.size(); ++i, ++run) {
      const double run_keys = static_cast<double>(runs[run].keys);
      keys += run_keys;
      chances_of_level += chances[run];
      advice.filter_bytes += run_keys * FilterBitsPerKey(runs[run].kind, chances[run]) / 8;
    }
    advice.wasted_reads += chances_of_level;
    const Seen seen = SeenOn(statistics.levels[static_cast<size_t>(level.level)]);
    all.checks += seen.checks;
    all.wasted += seen.wasted;
    wasted_of_seen += static_cast<double>(seen.checks) * chances_of_level /
                      static_cast<double>(level.run_keys.size());
  }
  if (keys > 0) advice.bits_per_key = 8 * advice.filter_bytes / keys;
  if (all.checks > 0) {
    advice.wasted_of_seen = wasted_of_seen;
    advice.saved_of_seen = static_cast<double>(all.wasted) - wasted_of_seen;
  }
  return advice;
}

}  // namespace

std::optional<double> MeasuredRate(uint64_t false_positives, uint64_t negatives) {
  const uint64_t checks = false_positives + negatives;
  if (checks == 0) return std::nullopt;
  return static_cast<double>(false_positives) / static_cast<double>(checks);
}

std::optional<double> BitsPerKey(const TableStatistics& table) {
  if (table.filter_bytes == 0 || table.distinct_keys == 0) return std::nullopt;
  return 8.0 * static_cast<double>(table.filter_bytes) / static_cast<double>(table.distinct_keys);
}

std::vector<LevelFilters> FiltersByLevel(const Statistics& statistics) {
  std::map<int, std::vector<const TableStatistics*>> tables;
  for (const TableStatistics& table : statistics.tables) tables[table.level].push_back(&table);
  std::vector<LevelFilters> levels;
  for (const auto& [number, of_level] : tables) {
    LevelFilters& level = levels.emplace_back();
    level.level = number;
    level.tables = of_level.size();
    const auto index = static_cast<size_t>(number);
    level.runs = index < statistics.levels.size() ? statistics.levels[index].runs : level.tables;
    for (const TableStatistics* table : of_level) {
      level.keys += table->distinct_keys;
      level.filter_bytes += table->filter_bytes;
      level.outdated_tables += table->filter_is_outdated ? 1 : 0;
    }
    SumOverRuns(of_level, &level);
  }
  return levels;
}

ExpectedWaste ExpectedWastedReads(const Statistics& statistics) {
  ExpectedWaste waste;
  for (const LevelFilters& level : FiltersByLevel(statistics)) {
    waste.configured += level.configured;
    waste.predicted += level.predicted;
  }
  return waste;
}

std::vector<FilterAdvice> AdviseFilters(const Statistics& statistics,
                                        const FilterSettings& in_force) {
  std::vector<double> chances(std::begin(kUsualChances), std::end(kUsualChances));
  if (std::find(chances.begin(), chances.end(), in_force.chance) == chances.end()) {
    chances.push_back(in_force.chance);
  }
  std::sort(chances.begin(), chances.end(), std::greater<>());
  const std::vector<LevelFilters> levels = FiltersByLevel(statistics);
  std::vector<FilterAdvice> advice;
  for (const double chance : chances) {
    for (const auto allocation : {FilterAllocation::kUniform, FilterAllocation::kByLevel}) {
      advice.push_back(Advise(statistics, levels, {in_force.kind, chance, allocation}));
      advice.back().in_force = chance == in_force.chance && allocation == in_force.allocation;
    }
  }
  return advice;
}

}  // namespace siltstone::tools
