#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"
#include "siltstone/options.h"

#include "base/checksum.h"
#include "base/filter_policy.h"
#include "base/internal_key.h"
#include "sstable/block_format.h"
#include "sstable/data_block_writer.h"
#include "sstable/footer.h"
#include "sstable/index_block.h"
#include "sstable/table_properties.h"

namespace siltstone {

struct TableWriterOptions {
  KeyOrder order{BytewiseComparator()};
  size_t block_size_bytes = 4096;  // uncompressed, before a block is closed
  int restart_interval = 16;
  Compression compression = Compression::kNone;
  const FilterPolicy* filter_policy = nullptr;  // not owned; null: no filter
  uint64_t filter_hash_seed = 0;                // of the secret `secret_id`
  uint64_t filter_salt = 0;
  uint32_t secret_id = 0;
  TableId table_id;  // not zero
  TableId database_id;
  uint64_t epoch = 0;
  uint64_t number = 0;
  int level = 0;
  std::string file_name;  // for messages
};

// What was written. A plain value.
struct TableSummary {
  uint64_t file_size_bytes = 0;
  uint64_t tail_size_bytes = 0;
  uint64_t entries = 0;
  uint64_t distinct_keys = 0;
  uint64_t tombstones = 0;
  uint64_t raw_key_bytes = 0;
  uint64_t raw_value_bytes = 0;
  std::string smallest;  // internal keys
  std::string largest;
  SequenceNumber smallest_sequence = 0;
  SequenceNumber largest_sequence = 0;
  uint64_t filter_bytes = 0;  // of the filter block's contents; 0: none was written
};

// Writes one table from front to back.
//
//   TableWriter writer(options, std::move(file));
//   for (...) if (absl::Status s = writer.Add(internal_key, value); !s.ok()) return s;
//   absl::StatusOr<TableSummary> summary = writer.Finish();
//
// Format: FORMAT.md, "SSTable".
// Invariants:
//   I1. After the first error of the file every call returns it, and the file is garbage. A refused entry
//       (the errors named at Add) leaves the table as it was.
//   I2. Without Finish the file is garbage.
// Thread safety: thread-compatible.
// Cost: bytes go to the file in pieces of about 256 KiB; the memory is that, one block, the index, and what
// the filter's builder keeps.
class TableWriter {
 public:
  TableWriter(TableWriterOptions options, std::unique_ptr<TableFile> file);
  ~TableWriter();

  // REQUIRES: `internal_key` is one and comes after all that were added: this is checked, always.
  // InvalidArgument for a key or value above the limits of S9; ResourceExhausted when the table cannot take
  // more (an index of 4 GiB): begin another.
  absl::Status Add(std::string_view internal_key, std::string_view value);

  // Writes the tail, syncs and closes the file. FailedPrecondition when nothing was added.
  absl::StatusOr<TableSummary> Finish();

  // About the size the file would have if it were finished now, but for the filter.
  uint64_t estimated_size_bytes() const {
    return offset_ + block_.size_bytes() + index_.size_bytes() + kFooterBytes;
  }
  uint64_t entry_count() const { return properties_.entries; }

 private:
  absl::Status CheckLimits(std::string_view internal_key, std::string_view value) const;
  absl::Status Append(std::string_view internal_key, std::string_view value);
  void CountEntry(std::string_view internal_key, std::string_view value, bool new_user_key);
  absl::Status FinishBlock();
  // Compresses the contents when that is worth it; says which compression they have then.
  Compression CompressContents(std::string* contents);
  void AddIndexEntry(std::string_view separator);
  absl::StatusOr<TableSummary> WriteTail();
  // The filter block's contents; also notes kind and chance in the properties.
  absl::StatusOr<std::string> BuildFilter();
  absl::Status WriteBlock(std::string* contents, BlockKind kind, BlockHandle* handle);
  absl::Status Write(std::string_view bytes);
  absl::Status FlushBuffer();
  TableSummary Summarise(const Footer& footer, uint64_t filter_bytes);

  const TableWriterOptions options_;
  std::unique_ptr<TableFile> file_;
  absl::Status status_;
  bool finished_ = false;

  DataBlockWriter block_;
  IndexBlockWriter index_;
  std::unique_ptr<FilterBuilder> filter_;
  TableProperties properties_;
  std::string last_key_;
  // The last finished block, whose separator waits for the first key behind it; size 0: none.
  uint64_t waiting_block_bytes_ = 0;

  std::string compressed_;
  std::string buffer_;   // bytes on their way to the file
  uint64_t offset_ = 0;  // in the file, of the next byte
};

}  // namespace siltstone
