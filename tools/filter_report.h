#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "siltstone/statistics.h"

namespace siltstone::tools {

// What the filters of a database promise and do, from its statistics. Pure functions.

// The share of the checks for absent keys in which the filter said "maybe"; nothing before the first one.
std::optional<double> MeasuredRate(uint64_t false_positives, uint64_t negatives);

// Bits of filter for each key of a table; nothing for a table without filter or keys.
std::optional<double> BitsPerKey(const TableStatistics& table);

// The expected number of tables that a look-up of an absent key reads in vain: the sum over the sorted runs
// of the run's rate, which is the mean over its tables, weighted by their keys. `rate` of a table without
// filter is 1. (A key outside of every table's range costs nothing; so this is the upper end.)
struct ExpectedWaste {
  double configured = 0;
  double predicted = 0;
};
ExpectedWaste ExpectedWastedReads(const Statistics& statistics);

}  // namespace siltstone::tools
