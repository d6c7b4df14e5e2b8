#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "siltstone/export.h"

namespace siltstone {

// Figures of one level at this moment, and of the reads on its present tables.
struct LevelStatistics {
  uint64_t tables = 0;
  uint64_t runs = 0;
  uint64_t size_bytes = 0;
  uint64_t entries = 0;
  uint64_t tombstones = 0;
  uint64_t filter_bytes = 0;
  uint64_t filters_checked = 0;
  uint64_t filter_negatives = 0;
  uint64_t filter_true_positives = 0;
  uint64_t filter_false_positives = 0;
  // The same of all reads since Open, also on tables that have left the level or are gone.
  uint64_t filters_checked_since_open = 0;
  uint64_t filter_negatives_since_open = 0;
  uint64_t filter_true_positives_since_open = 0;
  uint64_t filter_false_positives_since_open = 0;
};

// Figures of one table that is live at this moment.
struct TableStatistics {
  std::string file_name;
  int level = 0;
  uint64_t size_bytes = 0;
  uint64_t entries = 0;
  uint64_t distinct_keys = 0;
  uint64_t tombstones = 0;
  std::string smallest_key;
  std::string largest_key;
  uint64_t smallest_sequence = 0;
  uint64_t largest_sequence = 0;
  std::string compression;          // "none", "lz4"
  std::string filter_kind;          // "standard-bloom", "bloom"; "none" when there is none to use
  std::string filter_fault;         // why an existing filter cannot be used; empty when it can
  double configured_fp_chance = 1;  // what the filter was sized for when the table was written
  double predicted_fp_rate = 1;     // from the bits that are set
  double wanted_fp_chance = 1;      // what it would be sized for today, with the options in force
  // The options in force would give the table a filter of another kind or chance. With
  // FilterAllocation::kByLevel chances drift as the tree grows: another one differs by more than a factor of two.
  bool filter_is_outdated = false;
  uint64_t filter_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t filters_checked = 0;
  uint64_t filter_negatives = 0;
  uint64_t filter_true_positives = 0;
  uint64_t filter_false_positives = 0;
};

// Counters since Open, unless a member says otherwise. Exact when no operation is under way.
struct Statistics {
  uint64_t gets = 0;  // keys asked for by Get and MultiGet
  uint64_t gets_found = 0;
  uint64_t gets_from_memtable = 0;  // answered by a memtable, values and tombstones
  uint64_t iterators_created = 0;
  uint64_t iterator_seeks = 0;
  uint64_t iterator_steps = 0;

  uint64_t writes = 0;  // Put, Delete, Write and PutIfAbsent calls that succeeded
  uint64_t entries_written = 0;
  uint64_t user_bytes_written = 0;  // keys and values
  uint64_t write_groups = 0;        // appends to the log
  uint64_t wal_syncs = 0;
  uint64_t wal_bytes = 0;
  uint64_t write_stall_micros = 0;  // time writers were slowed or stopped

  uint64_t flushes = 0;
  uint64_t compactions = 0;
  uint64_t trivial_moves = 0;
  uint64_t flush_bytes_written = 0;
  uint64_t compaction_bytes_read = 0;
  uint64_t compaction_bytes_written = 0;
  uint64_t entries_dropped = 0;  // shadowed versions and spent tombstones

  uint64_t filters_checked = 0;
  uint64_t filter_negatives = 0;
  uint64_t filter_true_positives = 0;
  uint64_t filter_false_positives = 0;
  uint64_t filters_unusable = 0;  // tables opened without the filter they carry
  uint64_t index_searches = 0;
  uint64_t block_cache_hits = 0;
  uint64_t block_cache_misses = 0;
  uint64_t blocks_read = 0;  // data blocks read from files
  uint64_t bytes_read = 0;   // by those reads

  uint64_t torn_bytes_discarded = 0;  // at the ends of logs, by the last Open
  uint64_t records_recovered = 0;     // log records replayed by the last Open

  uint64_t last_sequence = 0;        // number of the newest readable write
  uint64_t snapshots = 0;            // alive now
  uint64_t immutable_memtables = 0;  // waiting for a flush now
  std::vector<LevelStatistics> levels;
  std::vector<TableStatistics>
      tables;  // level by level, newest first on level 0, else in key order
};

// Memory in use, by part, in bytes. total_bytes is the sum of the parts.
struct MemoryReport {
  size_t memtable_bytes = 0;     // active and waiting for a flush
  size_t block_cache_bytes = 0;  // blocks and their bookkeeping
  size_t filter_bytes = 0;
  size_t index_bytes = 0;
  size_t table_bytes = 0;  // properties, key ranges and readers of the live tables
  size_t total_bytes = 0;
  size_t budget_bytes = 0;       // Options::memory_budget_bytes
  size_t over_budget_bytes = 0;  // what does not fit: total - budget where positive
};

}  // namespace siltstone
