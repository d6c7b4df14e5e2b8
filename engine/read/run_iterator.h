#pragma once

#include <memory>
#include <span>

#include "siltstone/read_receipt.h"

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "engine/manifest/table.h"

namespace siltstone {

// What the reads of a walk do besides reading. A plain value.
struct RunIteratorOptions {
  bool fill_cache = false;
  // Not null: the cost is added to it. It outlives the iterator.
  ReadReceipt* receipt = nullptr;
};

// A walk over tables whose key ranges follow one another: a run, or the part of one that a compaction takes.
// One table's iterator is open at a time, from the first move that needs it until another table is needed.
// A table that fails makes the walk invalid with its status until the next seek; it is not passed over.
//
// REQUIRES: `tables` are sorted and disjoint in `order`; the tables, and the array that `tables` shows, outlive
// the iterator (a ReadView or Version kept alive does it).
//
// Thread safety: single-threaded.
// Cost: a seek is a binary search over the tables' key ranges and a seek in one table.
std::unique_ptr<InternalIterator> NewRunIterator(KeyOrder order,
                                                 std::span<const std::shared_ptr<Table>> tables,
                                                 const RunIteratorOptions& options = {});

}  // namespace siltstone
