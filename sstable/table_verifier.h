#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "siltstone/file_system.h"

#include "base/filter_policy.h"
#include "base/internal_key.h"
#include "sstable/block_fetcher.h"
#include "sstable/data_block_reader.h"
#include "sstable/footer.h"
#include "sstable/index_block.h"
#include "sstable/table_properties.h"

namespace siltstone {

// An open table in its parts. A plain value; the parts are not owned.
struct TableParts {
  const KeyOrder& order;
  const RandomAccessFile& file;
  const std::string& file_name;
  const Footer& footer;
  const TableProperties& properties;
  const IndexBlockReader& index;
  const BlockFetcher& fetcher;
  const FilterReader* filter;  // null: none to use
  uint64_t filter_hash_seed;
};

// One pass over all bytes of an open table, from the file, past the cache: all rules S1 to S18 that can be
// checked with both the bytes and what was read of them at Open. Single-threaded.
class TableVerifier {
 public:
  explicit TableVerifier(const TableParts& table) : table_(table) {}

  // OK, or the first damage.
  absl::Status Run();

 private:
  absl::Status VerifyTail() const;
  absl::Status VerifyBlock(size_t index);
  absl::Status VerifyEntry(size_t index, const DataBlockCursor& cursor);
  absl::Status VerifyTotals() const;
  absl::Status VerifyTotal(std::string_view what, uint64_t observed, uint64_t expected) const;
  absl::Status DamageInBlock(size_t index, std::string_view what) const;

  const TableParts table_;
  bool any_ = false;
  std::string last_key_;
  std::string first_key_;
  uint64_t entries_ = 0, distinct_keys_ = 0, tombstones_ = 0;
  uint64_t raw_key_bytes_ = 0, raw_value_bytes_ = 0, largest_block_bytes_ = 0;
  uint64_t smallest_sequence_ = UINT64_MAX, largest_sequence_ = 0;
};

}  // namespace siltstone
