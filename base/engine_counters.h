#pragma once

#include <cstddef>

#include "base/striped_counters.h"

// The counters of a database that its parts add to while they work; what siltstone::Statistics
// shows. They stand in base because reads, writes and compactions, which do not know one another,
// share the one object.
//
// Thread safety: thread-safe, as StripedCounters says: an Add writes only a cache line of its own
// thread.

namespace siltstone {

// Named after the members of siltstone::Statistics, which say what is counted.
enum EngineCounter : size_t {
  kGets,
  kGetsFound,
  kGetsFromMemtable,
  kIteratorsCreated,
  kIteratorSeeks,
  kIteratorSteps,

  kWrites,
  kEntriesWritten,
  kUserBytesWritten,
  kWriteGroups,
  kWalSyncs,
  kWalBytes,
  kWriteStallMicros,

  kFlushes,
  kCompactions,
  kTrivialMoves,
  kFlushBytesWritten,
  kCompactionBytesRead,
  kCompactionBytesWritten,
  kEntriesDropped,

  kFiltersChecked,
  kFilterNegatives,
  kFilterTruePositives,
  kFilterFalsePositives,
  kFiltersUnusable,
  kIndexSearches,
  kBlockCacheHits,
  kBlockCacheMisses,
  kBlocksRead,
  kBytesRead,

  kEngineCounterCount,
};

using EngineCounters = StripedCounters<kEngineCounterCount>;

}  // namespace siltstone
