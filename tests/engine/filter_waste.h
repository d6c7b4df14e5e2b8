#pragma once

#include <cstdint>
#include <vector>

#include "siltstone/db.h"

#include "engine/compaction/filter_choice.h"
#include "tests/engine/layered_tree.h"

// The wasted reads of absent keys: predicted from sizes and parameters, and counted.

namespace siltstone {

// One way of spreading filter memory over one tree.
struct FilterWaste {
  uint64_t filter_bytes = 0;
  double predicted =
      0;  // reads an absent key, from each table's number of keys and configured chance alone
  uint64_t probes = 0;
  uint64_t false_positives = 0;
  double measured() const {
    return static_cast<double>(false_positives) / static_cast<double>(probes);
  }
};

// Of cache-line Blooms over scattered keys: of those as many fall into a table's range as the range is wide.
double PredictWaste(const Statistics& statistics);

// Looks up the scattered keys of `probes` numbers from `first_absent` on, which are not there.
FilterWaste MeasureWaste(DB& db, uint64_t first_absent, uint64_t probes);

// How many keys each run has, from the newest to the oldest.
std::vector<uint64_t> RunKeys(const Statistics& statistics);

// Builds a tree of such runs (top first), gives it filters of both allocations in turn, measures and prints. `by_level`
// must waste R / e^H times less than `uniform`, and as predicted, within a tenth.
struct AllocationComparison {
  FilterWaste uniform;
  FilterWaste by_level;
};
AllocationComparison CompareAllocations(const std::vector<uint64_t>& run_keys, uint64_t probes,
                                        const FilterDemand& demand);

}  // namespace siltstone
