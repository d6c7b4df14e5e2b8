#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "siltstone/options.h"

#include "base/checksum.h"

// The frame around every block of an SSTable: a trailer with its kind, its compression and a checksum that
// is bound to the table and to the place, so that a block from elsewhere is never taken for this one.
//
// Format: FORMAT.md, "SSTable", rules S1 to S5 and S9.

namespace siltstone {

// On disk: never renumber.
enum class BlockKind : uint8_t { kData = 1, kFilter = 2, kIndex = 3, kProperties = 4 };

inline constexpr size_t kBlockTrailerBytes = 16;
// S9.
inline constexpr size_t kMaxUserKeyBytes = size_t{1} << 26;
inline constexpr size_t kMaxValueBytes = size_t{1} << 30;
// Contents and trailer together fit 32 bits.
inline constexpr uint64_t kMaxBlockContentBytes = UINT32_MAX - kBlockTrailerBytes;

// Where a block lies: contents and trailer together. A plain value.
struct BlockHandle {
  uint64_t offset = 0;
  uint64_t stored_size_bytes = 0;

  uint64_t end() const { return offset + stored_size_bytes; }
  bool operator==(const BlockHandle&) const = default;
};

// Which table bytes belong to: for checksums, and for the place in an error. A plain value; `file_name` is
// not owned.
struct TableIdentity {
  TableId id;
  std::string_view file_name;
};

// DataLoss: "`what`, in FILE at offset N size M".
absl::Status DamageAt(std::string_view what, std::string_view file_name, const BlockHandle& place);

// Appends the trailer to `contents`, which then are a whole stored block for file offset `offset`.
// `uncompressed_size_bytes` is contents->size() where compression is kNone.
// REQUIRES: contents->size() and uncompressed_size_bytes are at most kMaxBlockContentBytes.
void SealBlock(std::string* contents, BlockKind kind, Compression compression,
               size_t uncompressed_size_bytes, const TableId& id, uint64_t offset);

// What a checked trailer says.
struct BlockTrailer {
  size_t content_size_bytes = 0;
  size_t uncompressed_size_bytes = 0;
  Compression compression = Compression::kNone;
};

// Checks S3, S4 and the first half of S5 of the stored bytes at `handle`: DataLoss for any other block.
// Cost: one pass over the bytes, no allocation unless it fails.
absl::Status CheckBlock(std::string_view stored, BlockKind kind, const TableIdentity& table,
                        const BlockHandle& handle, BlockTrailer* trailer);

}  // namespace siltstone
