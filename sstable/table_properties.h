#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "siltstone/options.h"

#include "base/checksum.h"
#include "base/internal_key.h"

namespace siltstone {

// What a table says of itself: enough to make its manifest entry again from the file alone.
//
// Format: FORMAT.md, "Properties block", S14. A plain value.
struct TableProperties {
  TableId table_id;
  TableId database_id;
  uint64_t epoch = 0;
  uint64_t number = 0;
  int level = 0;  // the one it was written for
  uint64_t entries = 0;
  uint64_t distinct_keys = 0;
  uint64_t tombstones = 0;
  uint64_t data_blocks = 0;
  uint64_t raw_key_bytes = 0;  // of internal keys
  uint64_t raw_value_bytes = 0;
  std::string smallest;  // internal keys
  std::string largest;
  SequenceNumber smallest_sequence = 0;
  SequenceNumber largest_sequence = 0;
  std::string comparator_name;
  Compression compression = Compression::kNone;
  std::string filter_kind;        // FilterReader::kind_name; empty: no filter was written
  double filter_fp_chance = 1.0;  // the chance asked for
  uint32_t secret_id = 0;
  uint64_t block_size_bytes = 0;
  uint64_t largest_block_bytes = 0;  // uncompressed

  bool operator==(const TableProperties&) const = default;
};

// The contents of the properties block.
std::string EncodeTableProperties(const TableProperties& properties);

// Checks S14 and every rule that needs no other part of the table. DataLoss, without a place, names the
// property and the fault.
absl::Status DecodeTableProperties(std::string_view contents, TableProperties* properties);

}  // namespace siltstone
