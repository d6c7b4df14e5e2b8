#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/options.h"

// The envelope of a filter: what kind it is, how it was made, and whether its bytes are whole.

namespace siltstone {

// Format (FORMAT.md, "Filter block"): a header of 64 bytes, the bits, a checksum of 8 bytes. A block in memory that
// is aligned to 64 bytes has its lines aligned as well.
inline constexpr uint32_t kFilterMagic = 0x4246'6c53;  // "SlFB"
inline constexpr uint16_t kFilterVersion = 1;
inline constexpr size_t kFilterHeaderBytes = 64;
inline constexpr size_t kFilterChecksumBytes = 8;
inline constexpr size_t kLineBytes = 64;

// Immutable once filled in.
struct FilterBlockHeader {
  FilterKind kind = FilterKind::kBloom;
  uint64_t salt = 0;
  uint64_t key_count = 0;
  double configured_fp_chance = 1;
  uint64_t size = 0;    // kStandardBloom: bits; kBloom: lines of 512 bits; kRibbon: bytes
  uint32_t probes = 0;  // kRibbon: 1
};

// How many bytes of bits such a header needs. REQUIRES: the header is that of a filter in memory.
size_t FilterPayloadBytes(const FilterBlockHeader& header);

// Header, `payload`, checksum. REQUIRES: payload.size() == FilterPayloadBytes(header) (checked).
std::string MakeFilterBlock(const FilterBlockHeader& header, std::string_view payload);

// The header of a block that is whole in every respect: each field is within its bounds and agrees with the number of
// bytes, and the checksum is right. DataLoss for anything else; Unimplemented for a version or a kind that this
// program does not know. Reads only the given bytes and allocates nothing (but the message of an error).
// The place of the block is for the caller to add to an error.
absl::StatusOr<FilterBlockHeader> ParseFilterBlock(std::string_view block);

// The bits. REQUIRES: ParseFilterBlock accepted the block.
inline std::string_view FilterPayload(std::string_view block) {
  return block.substr(kFilterHeaderBytes, block.size() - kFilterHeaderBytes - kFilterChecksumBytes);
}

}  // namespace siltstone
