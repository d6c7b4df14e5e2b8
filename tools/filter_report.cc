#include "tools/filter_report.h"

#include <map>

namespace siltstone::tools {
namespace {

struct LevelSums {
  uint64_t tables = 0;
  double keys = 0;
  ExpectedWaste rates;           // sums of the tables' rates
  ExpectedWaste weighted_rates;  // the same, each times the table's keys
};

// The rates of the level's runs, summed: each table is a run, or the tables make up `runs` of them.
ExpectedWaste SumOverRuns(const LevelSums& level, uint64_t runs) {
  if (runs == level.tables || level.keys == 0) return level.rates;
  const double factor = static_cast<double>(runs) / level.keys;
  return {factor * level.weighted_rates.configured, factor * level.weighted_rates.predicted};
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

ExpectedWaste ExpectedWastedReads(const Statistics& statistics) {
  std::map<int, LevelSums> levels;
  for (const TableStatistics& table : statistics.tables) {
    const double keys = static_cast<double>(table.distinct_keys);
    LevelSums& level = levels[table.level];
    ++level.tables;
    level.keys += keys;
    level.rates.configured += table.configured_fp_chance;
    level.rates.predicted += table.predicted_fp_rate;
    level.weighted_rates.configured += keys * table.configured_fp_chance;
    level.weighted_rates.predicted += keys * table.predicted_fp_rate;
  }
  ExpectedWaste waste;
  for (const auto& [number, level] : levels) {
    const auto index = static_cast<size_t>(number);
    const uint64_t runs =
        index < statistics.levels.size() ? statistics.levels[index].runs : level.tables;
    const ExpectedWaste sum = SumOverRuns(level, runs);
    waste.configured += sum.configured;
    waste.predicted += sum.predicted;
  }
  return waste;
}

}  // namespace siltstone::tools
