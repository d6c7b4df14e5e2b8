#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "siltstone/options.h"

#include "engine/manifest/version.h"
#include "filter/table_filter.h"

// Which filter a table gets when it is written: a pure function of the options and of the tree as it will be.
//
// With FilterAllocation::kUniform every table gets bloom_filter_fp_chance. With kByLevel it gets the chance that
// filter/allocation.h gives its run among all the runs that an absent key of the job's key range would ask. Their
// sizes are taken in that range and as they will mostly be while the table lives:
//
//   - the output level and those below it: the keys they have in the range after the job;
//   - the levels above: their part of the range at the mean density, because jobs empty them piece by piece and they fill
//     again. The range is as large a part of the whole as its keys are of all keys from the output level down. Of
//     level 0 at most two runs count, the mean of its steady state: a backlog of flushes is soon gone, and the deep
//     tables that are written meanwhile stay.
//
// So keys that arrive in order, whose tables overlap nothing and are moved down as they are, get the plain chance. A
// table keeps the chance of the time it was written; docs/decisions/0004 says what that costs.
//
// With FilterKind::kAuto a table that a compaction writes where nothing lies beneath gets a ribbon, any other a
// cache-line Bloom: flushes and upper levels are written often and soon gone, the bottom holds nearly all keys.

namespace siltstone {

// What the options say about filters. A plain value.
struct FilterDemand {
  FilterKind kind = FilterKind::kBloom;
  double fp_chance = 0.01;
  FilterAllocation allocation = FilterAllocation::kUniform;
};

// What a job will do to the tree. A plain value; what it refers to must outlive it.
struct FilterJob {
  struct Input {
    int level = 0;
    const Table* table = nullptr;
  };
  std::vector<Input> inputs;  // leave the tree
  int output_level = 0;
  uint64_t output_keys = 0;   // about as many
  std::string_view smallest;  // user keys: the range of the output
  std::string_view largest;
};

// The kind and chance of the job's output tables. `version`: the one its inputs are from.
// Thread safety: pure function. Cost: the tables of the range, and a binary search a run.
FilterOptions ChooseFilter(const FilterDemand& demand, const Version& version,
                           const FilterJob& job);

// The same for a table that is there already, as if it were written today; for figures.
FilterOptions FilterWantedFor(const FilterDemand& demand, const Version& version, int level,
                              const Table& table);

}  // namespace siltstone
