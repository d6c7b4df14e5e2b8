#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/export.h"
#include "siltstone/iterator.h"
#include "siltstone/options.h"
#include "siltstone/pinned_value.h"
#include "siltstone/read_receipt.h"
#include "siltstone/snapshot.h"
#include "siltstone/statistics.h"
#include "siltstone/write_batch.h"

namespace siltstone {

// An ordered map from byte strings to byte strings, kept in the directory it is opened on.
//
//   #include <siltstone/db.h>
//
//   siltstone::Options options{.create_if_missing = true, .bloom_filter_fp_chance = 0.01};
//   absl::StatusOr<std::unique_ptr<siltstone::DB>> db = siltstone::DB::Open(options, "/var/lib/app/db");
//   if (!db.ok()) return db.status();
//
//   absl::Status status = (*db)->Put("key", "value");  // durable when it returns
//   auto value = (*db)->Get("key");                    // StatusOr<optional<PinnedValue>>
//   if (value.ok() && value->has_value()) Use((**value).view());
//
// Keys and values are any bytes, the empty ones too. A key is at most 64 MiB, a value at most 1 GiB.
//
// Errors, for every call:
//   InvalidArgument    an argument or option is out of its range: names it, its value, and the range
//   NotFound           Open: no database there
//   AlreadyExists      Open: one is there, and error_if_exists is set
//   Aborted            Open: another process, or this one, has the database open
//   DataLoss           bytes on disk are not what was written: names file, offset and size
//   FailedPrecondition the database is closed or was opened read-only; Open: a file stands in its place
//   and those of FileSystem. After a failed write of a log or of the manifest the database refuses writes
//   with the first cause and goes on serving reads; see Resume.
//
// Thread safety: thread-safe, but for Close and the destructor, which nothing may run beside. Snapshots,
// iterators and pinned values may outlive the object. After a fork the database stays the parent's: the child may
// destroy its copy, every write and Close through it is FailedPrecondition.
class SILTSTONE_EXPORT DB {
 public:
  using GetResult = absl::StatusOr<std::optional<PinnedValue>>;

  // Opens, and where the options say so creates, the database in directory `path`. One process at a time may
  // have a database open for writing, once. An open that is refused changes no byte on disk.
  // Cost: reads the manifest, the tail of each table, and the logs since the last flush. One file descriptor a table
  // for as long as it is open.
  static absl::StatusOr<std::unique_ptr<DB>> Open(const Options& options, std::string_view path);

  // As Close, without telling of errors.
  virtual ~DB() = default;

  // Sets `key` to `value`. Readable and durable (as `WriteOptions::durability` says) when it returns OK; after an
  // error it may or may not be there. Writers that wait at the same time share one append and one sync.
  virtual absl::Status Put(std::string_view key, std::string_view value,
                           const WriteOptions& options = {}) = 0;
  // Removes `key`; OK also where it is not there.
  virtual absl::Status Delete(std::string_view key, const WriteOptions& options = {}) = 0;
  // Applies all entries of `batch` or none, also after a crash. The batch is not changed.
  virtual absl::Status Write(WriteBatch& batch, const WriteOptions& options = {}) = 0;
  // Sets `key` to `value` where there is no such key, atomically against every other writer: true when it did.
  // False is answered only on account of a write that is itself durable as it asked to be.
  // Cost: a Get beside the write.
  virtual absl::StatusOr<bool> PutIfAbsent(std::string_view key, std::string_view value,
                                           const WriteOptions& options = {}) = 0;

  // The value of `key`, or nullopt where there is none. Takes no lock. At most one data block a sorted run
  // is read, and only where the run's filter says "maybe".
  virtual GetResult Get(std::string_view key, const ReadOptions& options = {}) = 0;
  // out[i] = Get(keys[i]), all of one state of the database. Faster than the Gets one by one: sorted, filters
  // tested together, blocks shared. Spans of unequal length: InvalidArgument in every slot.
  virtual void MultiGet(std::span<const std::string_view> keys, std::span<GetResult> out,
                        const ReadOptions& options = {}) = 0;
  // False: certainly absent. True: perhaps there. Memory only, no I/O.
  virtual bool MayContain(std::string_view key) = 0;

  // An iterator that stands nowhere until a Seek. Never null: faults of the options are in its status().
  virtual std::unique_ptr<Iterator> NewIterator(const ReadOptions& options = {}) = 0;

  // A handle on the present state.
  virtual Snapshot GetSnapshot() = 0;

  // Writes the memtables to SSTables and waits for it.
  virtual absl::Status Flush() = 0;
  // Flushes, then compacts all tables that overlap [begin, end] (nullopt: open) down to the deepest level
  // that holds such keys, and waits for it. Afterwards the range holds no tombstone that no snapshot needs.
  virtual absl::Status CompactRange(std::optional<std::string_view> begin = {},
                                    std::optional<std::string_view> end = {}) = 0;

  // Waits for running background jobs, syncs and seals the log, and lets go of the lock. Tells of the first
  // error of this and of background work. Every later call but reads through what was taken before is
  // FailedPrecondition.
  virtual absl::Status Close() = 0;

  // After a fault that has gone (space made, disk back): writes again everything that may not be durable
  // under new file names, and takes writes again. OK when nothing was wrong. Where the fault was a lack of space or of
  // descriptors (ResourceExhausted) writes and Flush try this by themselves, after 10 ms at first, then twice as long
  // up to a second.
  virtual absl::Status Resume() = 0;

  // A figure by name; empty for an unknown name.
  //   siltstone.stats            all statistics, in words, many lines
  //   siltstone.levels           one line a level
  //   siltstone.tables           one line a table
  //   siltstone.memory           the memory report, one line a part
  //   siltstone.options          the options in force
  //   siltstone.salvage          what a salvaging Open gave up, one line each; empty when nothing
  //   siltstone.background-error why writes are refused; empty when they are not
  // and each scalar member of Statistics, as "siltstone.NAME".
  virtual std::string GetProperty(std::string_view name) = 0;
  virtual Statistics GetStatistics() = 0;
  virtual MemoryReport GetMemoryReport() = 0;

  // Reads every byte of every live file and checks checksums, order, counts and key ranges; DataLoss names the
  // first damage. Does not disturb the block cache.
  virtual absl::Status VerifyChecksums() = 0;
};

}  // namespace siltstone
