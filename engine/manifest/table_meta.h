#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "base/checksum.h"
#include "base/coding.h"
#include "base/internal_key.h"
#include "engine/manifest/file_names.h"

namespace siltstone {

// Levels of every database: 0 to kLevelCount - 1.
inline constexpr int kLevelCount = 7;

// All that the manifest says about one table: enough to open it with a single read, and to choose it for reads
// and compactions without opening it.
//
// Format: FORMAT.md "Version edit", the table of the field *added table*, M2. A plain value.
struct TableMeta {
  uint64_t epoch = 0;
  uint64_t number = 0;
  uint64_t file_size_bytes = 0;
  uint64_t tail_size_bytes = 0;  // filter, index, properties and footer, at the end of the file
  TableId id;
  SequenceNumber smallest_sequence = 0;
  SequenceNumber largest_sequence = 0;
  uint64_t entries = 0;
  uint64_t distinct_keys = 0;
  uint64_t tombstones = 0;
  uint64_t raw_key_bytes = 0;
  uint64_t raw_value_bytes = 0;
  std::string smallest;  // internal keys
  std::string largest;

  bool operator==(const TableMeta&) const = default;

  FileId file_id() const { return {epoch, number}; }
  std::string FileName() const { return TableFileName(file_id()); }
  // REQUIRES of both: the keys are internal keys, as they are in all that was decoded or written.
  std::string_view smallest_user_key() const { return ExtractUserKey(smallest); }
  std::string_view largest_user_key() const { return ExtractUserKey(largest); }
};

void AppendTableMeta(std::string* out, const TableMeta& meta);

// Reads one TableMeta off `decoder` and checks all of it that needs no key order. DataLoss, without a place,
// says which field is wrong and how.
absl::Status DecodeTableMeta(Decoder* decoder, TableMeta* meta);

// A user key for a message: printable bytes as they are, others as \xNN, cut after 32 bytes.
std::string QuoteKey(std::string_view user_key);

}  // namespace siltstone
