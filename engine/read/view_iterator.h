#pragma once

#include <memory>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "engine/read/read_view.h"
#include "engine/read/run_iterator.h"

namespace siltstone {

// A walk over all versions of all keys of a view: its memtables and runs, merged. The view outlives the
// iterator. `options.receipt` gets the counts of memtables, tables and blocks as the walk needs them.
//
//   auto cost = std::make_unique<ReadReceipt>();
//   auto entries = NewViewIterator(*view, order, {.fill_cache = true, .receipt = cost.get()});
std::unique_ptr<InternalIterator> NewViewIterator(const ReadView& view, KeyOrder order,
                                                  const RunIteratorOptions& options);

}  // namespace siltstone
