#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "base/checksum.h"
#include "sstable/block_format.h"

namespace siltstone {

inline constexpr size_t kFooterBytes = 104;
inline constexpr uint64_t kTableMagic = 0x454e4f54534c4953;
inline constexpr uint32_t kTableFormatVersion = 1;

// The end of a table: where the parts of its tail lie, and which table it is.
//
// Format: FORMAT.md, "Footer", S15 to S17. A plain value.
struct Footer {
  TableId table_id;
  BlockHandle filter;  // size 0: none
  BlockHandle index;
  BlockHandle properties;
  uint64_t file_size_bytes = 0;
  uint64_t tail_size_bytes = 0;

  uint64_t tail_start() const { return file_size_bytes - tail_size_bytes; }
};

// REQUIRES: the parts lie as S1 and S2 say.
void AppendFooter(std::string* out, const Footer& footer);

// Decodes the last kFooterBytes of a file of `file_size_bytes` and checks S15 and S16.
// DataLoss for damage; FailedPrecondition for a format version this build does not know.
absl::Status DecodeFooter(std::string_view bytes, uint64_t file_size_bytes,
                          std::string_view file_name, Footer* footer);

// The contents of the block at `handle` in the tail of a table, after CheckBlock.
// REQUIRES: `footer` was decoded from the end of `tail`, and `handle` is one of its handles.
absl::StatusOr<std::string_view> FindTailBlock(std::string_view tail, const Footer& footer,
                                               const BlockHandle& handle, BlockKind kind,
                                               std::string_view file_name);

}  // namespace siltstone
