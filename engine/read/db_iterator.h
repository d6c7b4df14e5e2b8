#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"

#include "siltstone/iterator.h"
#include "siltstone/read_receipt.h"

#include "base/engine_counters.h"
#include "base/internal_iterator.h"
#include "base/internal_key.h"

// The user's view of a walk over internal keys: of each key the newest version that is visible at a
// sequence number, without tombstones, within bounds.
//
// Invariants:
//   I1. Those of siltstone::Iterator.
//   I2. An error of the source is reported even when a visible version was met before it: behind it
//   there
//       might have been a newer one.
//
// Thread safety: single-threaded.
//
// Cost: Next and Prev are steps of the source, one for each version passed; after a few versions of
// one key, a seek over the rest of them. Keys (and, walking backwards, values) are copied into
// buffers that are used again; no allocation in the long run.

namespace siltstone {

struct DbIteratorOptions {
  KeyOrder order;
  // Destroyed after `source` and `source_cost`: whatever those read from (a view, its tables, the
  // engine's core).
  std::shared_ptr<void> keeper = nullptr;
  // Not null: where `source` adds what it costs. It is emptied after each call, into `counters` and
  // `receipt`.
  std::unique_ptr<ReadReceipt> source_cost = nullptr;
  std::unique_ptr<InternalIterator> source = nullptr;
  // Versions above this number are not seen.
  SequenceNumber sequence = kMaxSequenceNumber;
  // [lower, upper); a prefix narrows them. A prefix needs the bytewise order.
  std::optional<std::string> lower = {};
  std::optional<std::string> upper = {};
  std::optional<std::string> prefix = {};
  // May be null. They outlive the iterator (the keeper sees to it, or the user).
  EngineCounters* counters = nullptr;
  ReadReceipt* receipt = nullptr;
};

// Never null; InvalidArgument in its status() for a prefix under another order than the bytewise
// one.
std::unique_ptr<Iterator> NewDbIterator(DbIteratorOptions options);

// Stands nowhere, always, and says why.
std::unique_ptr<Iterator> NewErrorIterator(absl::Status status);

// The least key above every key that begins with `prefix`; nullopt where there is none (only 0xff
// bytes).
std::optional<std::string> PrefixSuccessor(std::string_view prefix);

}  // namespace siltstone
