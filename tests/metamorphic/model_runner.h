#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/metamorphic/model_options.h"

namespace siltstone {

// What a run made the engine do; flushes and the like from Statistics, summed over all opens.
struct ModelCounts {
  uint64_t operations = 0;
  uint64_t flushes = 0;
  uint64_t compactions = 0;
  uint64_t trivial_moves = 0;
  uint64_t reopens = 0;
  uint64_t iterator_steps = 0;  // compared ones
  uint64_t snapshot_reads = 0;
  uint64_t manual_compactions = 0;
  uint64_t filter_negatives = 0;

  void Add(const ModelCounts& other);
  std::string ToString() const;
};

// Random operations on a database and on a std::map beside it, every answer compared. Ends at the first difference,
// which it reports as a test failure with seed, option set and operation number. The same seed gives the same
// operations; when background work runs beside them is up to the machine.
ModelCounts RunModel(const ModelOptionSet& set, uint64_t seed, uint64_t operations);

// RunModel for each option set, with `operations` spread over them by their shares. Prints the counts of each.
ModelCounts RunAllModels(uint64_t seed, uint64_t operations);

}  // namespace siltstone
