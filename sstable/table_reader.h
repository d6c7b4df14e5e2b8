#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"
#include "siltstone/read_receipt.h"

#include "base/checksum.h"
#include "base/filter_policy.h"
#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/striped_counters.h"
#include "sstable/block.h"
#include "sstable/block_cache.h"
#include "sstable/block_fetcher.h"
#include "sstable/footer.h"
#include "sstable/index_block.h"
#include "sstable/table_properties.h"

namespace siltstone {

struct TableReaderOptions {
  KeyOrder order{BytewiseComparator()};
  std::string file_name;                        // for messages
  uint64_t file_size_bytes = 0;                 // as the manifest has it; 0: unknown
  uint64_t tail_size_bytes = 0;                 // as the manifest has it; 0: unknown, one more read
  TableId expected_table_id;                    // zero: any
  const FilterPolicy* filter_policy = nullptr;  // used by Open only; null: the filter is not used
  BlockCache* block_cache = nullptr;            // not owned; null: none
  // The seed of a secret; nullopt where it is not known. Used by Open only.
  std::function<std::optional<uint64_t>(uint32_t secret_id)> secret_lookup;
};

// What reads found out with a table's filter. The point lookup counts them.
enum FilterCounter : size_t {
  kFilterChecked,
  kFilterNegative,
  kFilterTruePositive,
  kFilterFalsePositive,
  kFilterCounterCount,
};
using FilterCounters = StripedCounters<kFilterCounterCount>;

// The answer of a table about one key.
struct PointResult {
  enum class State { kAbsent, kDeleted, kFound };
  State state = State::kAbsent;
  std::string_view value;  // kFound: lies in `block`
  SequenceNumber sequence = 0;
  BlockRef block;
  // The table holds the key, perhaps only in versions newer than asked: a filter that says "maybe" is right.
  bool key_present = false;
};

// One open table.
//
//   EpochGuard guard;
//   TableReadContext context;
//   PointResult result;
//   if (!table.has_filter() || table.MayContain(HashKey(key, table.filter_hash_seed())))
//     status = table.Get(key, snapshot, context, &result);
//
// The index, the filter and the properties stay in memory; data blocks come through the block cache.
//
// Invariants:
//   I1. Damage in footer, index or properties refuses Open; in a data block it fails the reads that need
//       it, with DataLoss; in the filter it only costs the filter (S10, S18).
//   I2. No answer is ever given from bytes whose checksum was not right.
// Thread safety: immutable and thread-safe, but for its counters, which are thread-safe.
// Cost: Get searches the index (no I/O), fetches one data block, rarely a second, and searches it. On a
// cache hit it allocates nothing, takes no lock and writes nothing shared.
class TableReader {
 public:
  // One read of the file where the tail's size is known, two otherwise.
  // DataLoss for damage and for another table than expected; FailedPrecondition for a format version that
  // this build does not know; InvalidArgument for a table of another comparator.
  static absl::StatusOr<std::unique_ptr<TableReader>> Open(TableReaderOptions options,
                                                           std::unique_ptr<RandomAccessFile> file);
  ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  // The newest version of `user_key` with a sequence number of at most `snapshot`. The filter is not asked.
  // REQUIRES: the caller holds an EpochGuard; a value in a borrowed block is good while that lives, unless
  // the caller makes result->block its own (BlockRef::Own, Release) before.
  absl::Status Get(std::string_view user_key, SequenceNumber snapshot, TableReadContext& context,
                   PointResult* result) const;

  bool has_filter() const { return filter_ != nullptr; }
  // REQUIRES of both: has_filter(). `hash` is HashKey(user_key, filter_hash_seed()).
  bool MayContain(uint64_t hash) const { return filter_->MayContain(hash); }
  void PrefetchFilter(uint64_t hash) const { filter_->Prefetch(hash); }
  uint64_t filter_hash_seed() const { return filter_hash_seed_; }
  // Null where there is none to use.
  const FilterReader* filter() const { return filter_.get(); }
  // Why the filter that the table carries cannot be used; OK when it can or when there is none.
  const absl::Status& filter_fault() const { return filter_fault_; }
  FilterCounters& filter_counters() const { return filter_counters_; }

  // All entries. The table must outlive the iterator; no guard is needed. What it reads is added to
  // `receipt` unless that is null.
  std::unique_ptr<InternalIterator> NewIterator(bool fill_cache, ReadReceipt* receipt) const;

  // What can be read of a damaged table: a walk that goes on behind damaged data blocks, and tells of each with the
  // user keys it may have held, both included. For SeekToFirst and Next only.
  using LossSink = std::function<void(const absl::Status& damage, std::string_view first,
                                      std::string_view last)>;
  std::unique_ptr<InternalIterator> NewSalvageIterator(LossSink sink) const;

  // Reads every byte from the file again and checks checksums, order, counts, the ranges in the properties,
  // and that the filter knows every key. DataLoss names the first damage.
  absl::Status VerifyChecksums() const;

  const TableProperties& properties() const { return properties_; }
  const std::string& file_name() const { return file_name_; }
  // Of this object, in this process; never used twice.
  uint64_t uid() const { return uid_; }
  size_t filter_memory_bytes() const { return filter_ == nullptr ? 0 : filter_->memory_bytes(); }
  size_t index_memory_bytes() const { return index_.memory_bytes(); }
  size_t other_memory_bytes() const;

 private:
  TableReader(TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file);
  // Whether the table has versions of the key above the sequence number of `seek_trailer`, for which an answer
  // was looked for in vain. `first`: the block where it would stand, which is `block` (null beyond the last one).
  bool HasNewerVersion(std::string_view user_key, uint64_t seek_trailer, size_t first,
                       const Block* block) const;
  TableIdentity identity() const { return {footer_.table_id, file_name_}; }
  BlockHandle whole_file() const { return {0, file_->size_bytes()}; }

  // The bytes of the tail, footer included, after S15 to S17 were checked.
  absl::StatusOr<std::string> ReadTail(const TableReaderOptions& options);
  absl::Status ReadTailOfUnknownSize(std::string* tail) const;
  absl::Status CheckExpectations(const TableReaderOptions& options) const;
  absl::Status LoadIndexAndProperties(std::string_view tail);
  absl::Status CheckPropertiesAgainstIndex() const;
  void LoadFilter(const TableReaderOptions& options, std::string_view tail);

  const KeyOrder order_;
  const std::string file_name_;
  const std::unique_ptr<RandomAccessFile> file_;
  BlockCache* const cache_;
  const uint64_t uid_;
  Footer footer_;
  TableProperties properties_;
  IndexBlockReader index_;
  std::optional<BlockFetcher> fetcher_;  // set by Open
  std::unique_ptr<FilterReader> filter_;
  uint64_t filter_hash_seed_ = 0;
  absl::Status filter_fault_;
  mutable FilterCounters filter_counters_;
};

}  // namespace siltstone
