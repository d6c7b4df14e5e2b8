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

// The filter counters again, by the level of the table that was asked, where it stood at that moment: so these
// outlive the tables.
inline constexpr size_t kCountedLevels = 7;
inline constexpr size_t kLevelFilterCounterCount = kFilterFalsePositives - kFiltersChecked + 1;

// `counter`: kFiltersChecked to kFilterFalsePositives; `level`: below kCountedLevels.
constexpr size_t LevelFilterCounter(int level, EngineCounter counter) {
  return kEngineCounterCount + static_cast<size_t>(level) * kLevelFilterCounterCount +
         (counter - kFiltersChecked);
}

using EngineCounters =
    StripedCounters<kEngineCounterCount + kCountedLevels * kLevelFilterCounterCount>;

}  // namespace siltstone
