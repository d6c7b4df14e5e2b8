#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "siltstone/options.h"

#include "base/internal_key.h"
#include "engine/manifest/table_meta.h"

namespace siltstone {

// The options that tables were last written with. For information (`kvtool info`): nothing depends on them.
struct RecordedTableOptions {
  FilterKind filter_kind = FilterKind::kBloom;
  double bloom_filter_fp_chance = 0.01;
  Compression compression = Compression::kLz4;
  FilterAllocation filter_allocation = FilterAllocation::kUniform;
  bool operator==(const RecordedTableOptions&) const = default;
};

struct TableAdded {
  int level = 0;
  TableMeta meta;
  bool operator==(const TableAdded&) const = default;
};

struct TableRemoved {
  int level = 0;
  uint64_t epoch = 0;
  uint64_t number = 0;
  bool operator==(const TableRemoved&) const = default;
  FileId file_id() const { return {epoch, number}; }
};

struct LogBegun {
  uint64_t epoch = 0;
  uint64_t number = 0;
  uint64_t minimum_size = 0;  // bytes; a shorter file was cut
  bool operator==(const LogBegun&) const = default;
  FileId file_id() const { return {epoch, number}; }
};

struct LogSealed {
  uint64_t epoch = 0;
  uint64_t number = 0;
  uint64_t size = 0;  // bytes; where the last record ends
  bool operator==(const LogSealed&) const = default;
  FileId file_id() const { return {epoch, number}; }
};

struct LogRetired {
  uint64_t epoch = 0;
  uint64_t number = 0;
  bool operator==(const LogRetired&) const = default;
  FileId file_id() const { return {epoch, number}; }
};

// A step from one state of the database to the next; one record of a manifest. What is not set stays as it is. A
// table that moves from level to level is removed and added in the same edit.
//
// Format: FORMAT.md "Version edit", M8 to M12. A plain value.
struct VersionEdit {
  std::optional<std::string> comparator_name;
  std::optional<RecordedTableOptions> table_options;
  std::optional<SequenceNumber> last_sequence;  // a lower bound: logs can only raise it
  std::optional<uint64_t> next_file_number;
  std::optional<uint64_t> epoch;
  std::vector<TableRemoved> removed;
  std::vector<TableAdded> added;
  std::vector<LogBegun> logs_begun;
  std::vector<LogSealed> logs_sealed;
  std::vector<LogRetired> logs_retired;
  bool operator==(const VersionEdit&) const = default;
};

std::string EncodeVersionEdit(const VersionEdit& edit);

// DataLoss, without a place, for anything but the result of EncodeVersionEdit of an edit whose parts, each for
// itself, are in range (M10). Whether it fits a state is the state's to say.
absl::StatusOr<VersionEdit> DecodeVersionEdit(std::string_view bytes);

}  // namespace siltstone
