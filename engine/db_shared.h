#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "siltstone/event_listener.h"
#include "siltstone/logger.h"
#include "siltstone/options.h"
#include "siltstone/statistics.h"

#include "base/engine_counters.h"
#include "base/internal_key.h"
#include "engine/compaction/table_store.h"
#include "engine/error_state.h"
#include "engine/manifest/version_keeper.h"
#include "engine/read/snapshot_list.h"
#include "engine/read/view_holder.h"
#include "engine/recovery/obsolete_files.h"
#include "engine/write/write_stall.h"
#include "sstable/block_cache.h"

namespace siltstone {

// Sizes that follow from the options; computed once at Open.
struct EngineLimits {
  size_t max_immutable_memtables = 1;    // as many wait for a flush before writers stop
  uint64_t target_table_size_bytes = 0;  // where a compaction starts a new output table
  uint64_t base_level_size_bytes = 0;    // level 1; each deeper level holds ten times as much
  uint64_t log_allocation_bytes = 0;     // what a log is preallocated to
};
EngineLimits LimitsOf(const Options& options);

// What the reading, writing and background parts of an open database share. Iterators hold it too, so that
// they may outlive the DB object. Members are thread-safe or constant after Open.
//
// Lock order: ARCHITECTURE.md, "Lock order".
struct DbShared {
  Options options;
  std::string path;
  KeyOrder order{BytewiseComparator()};
  EngineLimits limits;
  WriteStallLimits stall_limits;
  std::shared_ptr<FileSystem> file_system;
  std::shared_ptr<Logger> logger;
  TableId database_id;
  uint64_t epoch = 0;
  bool read_only = false;

  std::shared_ptr<ObsoleteFiles> obsolete_files;
  std::shared_ptr<BlockCache> block_cache;
  std::unique_ptr<TableStore> table_store;
  std::unique_ptr<VersionKeeper> versions;
  std::unique_ptr<ViewHolder> views;
  std::shared_ptr<SnapshotList> snapshots = std::make_shared<SnapshotList>();

  std::atomic<SequenceNumber> visible_sequence{0};  // newest write that reads may see
  std::atomic<bool> closed{false};
  std::atomic<bool> cache_is_crowded{false};  // and the log says so
  ErrorState error;
  EngineCounters counters;
  std::vector<std::string> salvage_losses;
  uint64_t torn_bytes_discarded = 0;
  uint64_t records_recovered = 0;

  void Log(LogLevel level, const std::string& message) const {
    if (logger != nullptr) logger->Log(level, message);
  }
  // Refuses writes from now on, and tells of it, if this is the first error.
  void Fail(const absl::Status& cause);
  MemoryReport ReportMemory() const;
  // Gives the block cache what memtables, filters and indexes leave of the budget, at least a tenth; where it is
  // no more than that, the log says so once.
  void BalanceMemory();
};

}  // namespace siltstone
