#pragma once

#include <cstdint>

#include "siltstone/read_receipt.h"

#include "base/engine_counters.h"

namespace siltstone {

// What one read cost, gathered in the reader's own memory and then added in one go to where it is wanted. A
// plain value.
struct ReadCost {
  uint64_t memtables_considered = 0;
  uint64_t tables_considered = 0;
  uint64_t filters_checked = 0;
  uint64_t filter_negatives = 0;
  uint64_t filter_true_positives = 0;
  uint64_t filter_false_positives = 0;
  uint64_t index_searches = 0;
  uint64_t data_blocks_from_cache = 0;
  uint64_t data_blocks_from_file = 0;
  uint64_t bytes_from_file = 0;

  // The counts of `receipt`, which does not know true positives.
  static ReadCost Of(const ReadReceipt& receipt);
};

// Adds the cost to the counters of the engine and to a user's receipt; either may be null. Counters whose
// figure is 0 are not touched.
void RecordReadCost(const ReadCost& cost, EngineCounters* counters, ReadReceipt* receipt);

}  // namespace siltstone
