#pragma once

#include <memory>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"

// One sorted walk over several: how a scan sees memtables and runs as one sequence, and how a
// compaction reads its inputs.
//
//   std::vector<std::unique_ptr<InternalIterator>> children;
//   children.push_back(memtable.NewIterator());
//   children.push_back(NewRunIterator(run, run_options));
//   auto merged = NewMergingIterator(order, std::move(children));
//
// Invariants:
//   I1. It gives every entry of every child once, in the order of (internal key, index of the
//   child). I2. The first error of any child makes it invalid with that status until the next seek:
//   entries are
//       never skipped because of an error.
//
// Thread safety: single-threaded.
//
// Cost: a seek is one of every child and O(n) comparisons; Next and Prev O(log n), one comparison
// while the same child stays in front; a change of direction costs a seek of every other child.
// Comparisons look at eight cached bytes of the keys first. No allocation after construction.

namespace siltstone {

// REQUIRES: every child is strictly ascending in `order`; its key() stays at the same bytes until
// it is moved. A target of a seek must not lie in a key() of the iterator itself. No children: an
// empty walk.
std::unique_ptr<InternalIterator> NewMergingIterator(
    KeyOrder order, std::vector<std::unique_ptr<InternalIterator>> children);

}  // namespace siltstone
