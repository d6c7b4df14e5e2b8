#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "siltstone/comparator.h"
#include "siltstone/export.h"

namespace siltstone {

class EventListener;
class FileSystem;
class Logger;
class Snapshot;
struct ReadReceipt;

// What an acknowledged write survives.
enum class Durability {
  kSync,      // the end of the machine: the write returns after a sync of the log
  kBuffered,  // the end of the process, not of the machine
  kNone,  // no log at all: a write is kept from the next flush on. A choice for a whole database
};

// On disk: never renumber.
enum class Compression : uint8_t { kNone = 0, kLz4 = 1 };

// On disk: never renumber.
enum class FilterKind : uint8_t {
  kStandardBloom = 1,  // the textbook filter: m and k exactly as the formulas give them
  kBloom = 2,          // one cache line a probe, sized by its exact model
  kRibbon = 3,         // within 2 % of the information limit; built slower: for tables that live
  kAuto = 4,           // ribbon where a compaction writes the bottom level, kBloom elsewhere
};

// "standard-bloom", "bloom", "ribbon", "auto": as in TableStatistics::filter_kind.
SILTSTONE_EXPORT std::string_view FilterKindName(FilterKind kind);

// How filter memory is spread over the levels.
enum class FilterAllocation {
  kUniform,  // the same chance for every table
  // The same memory, chances in proportion to the keys of the runs: the fewest wasted reads of absent keys. About
  // R / e^H times fewer than kUniform over R runs, H the entropy of their shares of the keys: 2 for three levels,
  // 3.5 for five.
  kByLevel,
};

enum class CompactionStyle {
  kLeveled,      // one sorted run a level below level 0
  kTiered,       // several runs a level. Not in this version: Open refuses it
  kLazyLeveled,  // tiered above, one run at the bottom. Not in this version: Open refuses it
};

// How a database is opened. Every member has a default that is meant to be kept.
//
//   siltstone::Options options{.create_if_missing = true, .bloom_filter_fp_chance = 0.001};
//
// `DB::Open` checks all members and names every fault of an Options value in one InvalidArgument.
struct Options {
  // Create the database (and its directory) where there is none.
  bool create_if_missing = false;
  // Fail with AlreadyExists where there is one.
  bool error_if_exists = false;
  // Open a consistent view of the newest state; nothing on disk is changed, no lock is taken, and a
  // writer may go on beside it. Every write is FailedPrecondition.
  bool read_only = false;
  // Open what can be read of a database whose logs or tables are damaged, and report what was lost
  // through the logger and `GetProperty("siltstone.salvage")`. What cannot be read for another reason (no
  // descriptors, no permission, a device that is away) still refuses the open.
  bool salvage = false;

  // The order of the keys; not null; must outlive the database. Fixed when the database is created.
  const Comparator* comparator = BytewiseComparator();

  // Memory for memtables, block cache, filters and indexes together, in bytes; at least 64 KiB and at
  // least twice write_buffer_size_bytes. The block cache gets what the others leave, at least a tenth.
  size_t memory_budget_bytes = size_t{256} << 20;
  // A memtable of this many bytes is flushed to an SSTable; 4 KiB to 4 GiB. Also the size at which a
  // compaction starts a new output table (at most 64 MiB).
  size_t write_buffer_size_bytes = size_t{64} << 20;
  // Uncompressed bytes of a data block before it is closed; 64 bytes to 16 MiB. Smaller: fewer bytes a
  // read; larger: better compression and a smaller index.
  size_t block_size_bytes = 4096;
  // How data blocks of new tables are compressed. A block that does not shrink is stored as it is.
  Compression compression = Compression::kLz4;

  // The chance that a table's filter says "maybe" for a key the table does not hold; 0 < p <= 1. At 1
  // no filter is written. Ten times fewer wasted reads cost about 4.8 bits a key. A change takes
  // effect with tables written from then on.
  double bloom_filter_fp_chance = 0.01;
  FilterKind filter_kind = FilterKind::kBloom;
  FilterAllocation filter_allocation = FilterAllocation::kUniform;

  CompactionStyle compaction_style = CompactionStyle::kLeveled;
  // Flushes and compactions that may run at the same time; 1 to 64. One of them is kept for flushes, which
  // writers wait for; with 1, a flush and a compaction still run side by side.
  int max_background_jobs = 2;

  // The durability of writes that do not ask for another.
  Durability durability = Durability::kSync;

  // Where every byte goes; null: the POSIX file system.
  std::shared_ptr<FileSystem> file_system = nullptr;
  // Told of flushes, compactions, stalls and errors; null: nobody is.
  std::shared_ptr<EventListener> listener = nullptr;
  // Gets the engine's messages; null: a LOG file in the database (none when read_only).
  std::shared_ptr<Logger> logger = nullptr;
};

struct WriteOptions {
  // kSync or kBuffered; unset: `Options::durability`. kNone here is InvalidArgument, and so is any
  // value where the database itself was opened with kNone. A sync covers everything written before it.
  std::optional<Durability> durability = {};
};

struct ReadOptions {
  // Read at this snapshot; null: at the newest readable state. A snapshot of another database is
  // InvalidArgument.
  const Snapshot* snapshot = nullptr;
  // Iterators stay in [lower_bound, upper_bound) and, with `prefix`, on keys that begin with it (bytewise
  // comparator only, InvalidArgument otherwise). The bytes are copied when the iterator is made. Point
  // reads do not look at these.
  std::optional<std::string_view> lower_bound = {};
  std::optional<std::string_view> upper_bound = {};
  std::optional<std::string_view> prefix = {};
  // Keep the blocks this read fetches in the block cache. Set to false for a scan over much data.
  bool fill_cache = true;
  // Not null: what this read cost is added to it. Must stay valid for the whole read (for an iterator,
  // as long as that lives).
  ReadReceipt* receipt = nullptr;
};

}  // namespace siltstone
