#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "siltstone/options.h"
#include "siltstone/statistics.h"

namespace siltstone::tools {

// What the filters of a database promise and do, from its statistics. Pure functions.

// The share of the checks for absent keys in which the filter said "maybe"; nothing before the first one.
std::optional<double> MeasuredRate(uint64_t false_positives, uint64_t negatives);

// Bits of filter for each key of a table; nothing for a table without filter or keys.
std::optional<double> BitsPerKey(const TableStatistics& table);

// The filters of one level. Rates are those of an absent key that meets all of the level's runs: for each run the mean
// over its tables, weighted by their keys, and their sum over the runs. A table without filter has the rate 1.
struct LevelFilters {
  int level = 0;
  uint64_t runs = 0;
  uint64_t tables = 0;
  uint64_t outdated_tables = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
  double configured = 0;
  double predicted = 0;
  std::vector<uint64_t> run_keys;
};

// The levels that hold tables, from the top.
std::vector<LevelFilters> FiltersByLevel(const Statistics& statistics);

// The expected number of tables that a look-up of an absent key reads in vain: the sum over the sorted runs.
// (A key outside of every table's range costs nothing; so this is the upper end.)
struct ExpectedWaste {
  double configured = 0;
  double predicted = 0;
};
ExpectedWaste ExpectedWastedReads(const Statistics& statistics);

// The options that filters are written with.
struct FilterSettings {
  FilterKind kind = FilterKind::kBloom;
  double chance = 0.01;
  FilterAllocation allocation = FilterAllocation::kUniform;
};

// What one setting would mean for the database as it is, once all of its tables were written with it.
struct FilterAdvice {
  FilterSettings settings;
  bool in_force = false;
  double bits_per_key = 0;
  double filter_bytes = 0;
  double wasted_reads = 0;  // of an absent key
  // Of the filter checks for absent keys since Open, by level as they came: nothing where there was none.
  std::optional<double> wasted_of_seen;
  std::optional<double> saved_of_seen;  // fewer than were wasted in fact; below 0: more
};

// Both allocations for some usual chances and for the one in force, from the largest chance to the smallest.
std::vector<FilterAdvice> AdviseFilters(const Statistics& statistics,
                                        const FilterSettings& in_force);

}  // namespace siltstone::tools
