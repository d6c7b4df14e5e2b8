#include "filter/filter_block.h"

#include <bit>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/status_macros.h"
#include "filter/bloom_math.h"
#include "filter/ribbon_layout.h"

namespace siltstone {

namespace {

// Offsets of the header's fields; FORMAT.md has the table.
constexpr size_t kMagicOffset = 0;
constexpr size_t kVersionOffset = 4;
constexpr size_t kKindOffset = 6;
constexpr size_t kSaltOffset = 8;
constexpr size_t kKeyCountOffset = 16;
constexpr size_t kChanceOffset = 24;
constexpr size_t kSizeOffset = 32;
constexpr size_t kProbesOffset = 40;
constexpr size_t kReservedOffset = 44;

std::string EncodeHeader(const FilterBlockHeader& header) {
  std::string out;
  AppendFixed32(&out, kFilterMagic);
  AppendFixed32(&out, kFilterVersion | static_cast<uint32_t>(header.kind) << 16);
  AppendFixed64(&out, header.salt);
  AppendFixed64(&out, header.key_count);
  AppendFixed64(&out, std::bit_cast<uint64_t>(header.configured_fp_chance));
  AppendFixed64(&out, header.size);
  AppendFixed32(&out, header.probes);
  out.append(kFilterHeaderBytes - kReservedOffset, '\0');
  return out;
}

absl::Status Damaged(std::string_view what, uint64_t observed, std::string_view expected) {
  return absl::DataLossError(absl::StrCat("filter block ", ToAbsl(what), ": observed ", observed,
                                          ", expected ", ToAbsl(expected)));
}

// F1, F2: rules that hold for every version there will ever be.
absl::Status CheckVersion(std::string_view block) {
  constexpr size_t kLeast = kFilterHeaderBytes + kFilterChecksumBytes;
  if (block.size() < kLeast) {
    return Damaged("size", block.size(), "at least 72 bytes");
  }
  const uint32_t magic = LoadFixed32(block.data() + kMagicOffset);
  if (magic != kFilterMagic) {
    return absl::DataLossError(absl::StrCat("filter block magic: observed 0x", absl::Hex(magic),
                                            ", expected 0x", absl::Hex(kFilterMagic)));
  }
  const uint32_t version = LoadFixed32(block.data() + kVersionOffset) & 0xffff;
  if (version != kFilterVersion) {
    return absl::UnimplementedError(
        absl::StrCat("filter block version: observed ", version, ", known ", kFilterVersion));
  }
  return absl::OkStatus();
}

// F3.
absl::Status CheckChecksum(std::string_view block) {
  const std::string_view covered = block.substr(0, block.size() - kFilterChecksumBytes);
  const uint64_t stored = LoadFixed64(block.data() + covered.size());
  const uint64_t computed = Checksum64(covered);
  if (stored == computed) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("filter block checksum mismatch: stored 0x",
                                          absl::Hex(stored), ", computed 0x", absl::Hex(computed)));
}

// F4, F5: the fields that all kinds have.
absl::Status CheckFields(std::string_view block, const FilterBlockHeader& header) {
  for (size_t i = kReservedOffset; i < kFilterHeaderBytes; ++i) {
    if (block[i] != 0) return Damaged("reserved byte", static_cast<uint8_t>(block[i]), "0");
  }
  if (block[kKindOffset + 1] != 0) {
    return Damaged("reserved byte", static_cast<uint8_t>(block[kKindOffset + 1]), "0");
  }
  const double chance = header.configured_fp_chance;
  if (!(chance > 0 && chance <= 1)) {
    return Damaged("chance (as bits)", std::bit_cast<uint64_t>(chance), "above 0 and at most 1");
  }
  if (header.probes < 1 || header.probes > static_cast<uint32_t>(kMaxProbes)) {
    return Damaged("number of probes", header.probes, "1 to 64");
  }
  return absl::OkStatus();
}

// F6. Compares by division: a size from outside must not overflow.
absl::Status CheckStandardBloom(std::string_view payload, const FilterBlockHeader& header) {
  const uint64_t bits = header.size;
  const uint64_t needed_words = bits / 64 + (bits % 64 != 0);
  if (bits == 0 || payload.size() % 8 != 0 || needed_words != payload.size() / 8) {
    return Damaged("number of bits", bits, absl::StrCat("what ", payload.size(), " bytes hold"));
  }
  const uint64_t last_word = LoadFixed64(payload.data() + payload.size() - 8);
  if (bits % 64 != 0 && last_word >> bits % 64 != 0) {
    return Damaged("bits behind the last", last_word >> bits % 64, "0");
  }
  return absl::OkStatus();
}

// F7.
absl::Status CheckCacheLineBloom(std::string_view payload, const FilterBlockHeader& header) {
  if (header.size == 0 || payload.size() % kLineBytes != 0 ||
      header.size != payload.size() / kLineBytes) {
    return Damaged("number of lines", header.size,
                   absl::StrCat("what ", payload.size(), " bytes hold"));
  }
  return absl::OkStatus();
}

// F11 to F16.
absl::Status CheckRibbon(std::string_view payload, const FilterBlockHeader& header) {
  if (header.size != payload.size()) {
    return Damaged("bytes of the ribbon", header.size, absl::StrCat(payload.size()));
  }
  if (header.probes != 1) return Damaged("number of probes", header.probes, "1");
  return CheckRibbonPayload(payload);
}

absl::Status CheckPayload(std::string_view payload, const FilterBlockHeader& header) {
  if (header.kind == FilterKind::kStandardBloom) return CheckStandardBloom(payload, header);
  if (header.kind == FilterKind::kRibbon) return CheckRibbon(payload, header);
  return CheckCacheLineBloom(payload, header);
}

bool IsKnown(FilterKind kind) {
  return kind == FilterKind::kStandardBloom || kind == FilterKind::kBloom ||
         kind == FilterKind::kRibbon;
}

}  // namespace

size_t FilterPayloadBytes(const FilterBlockHeader& header) {
  if (header.kind == FilterKind::kStandardBloom) return (header.size + 63) / 64 * 8;
  if (header.kind == FilterKind::kRibbon) return header.size;
  return header.size * kLineBytes;
}

std::string MakeFilterBlock(const FilterBlockHeader& header, std::string_view payload) {
  SILTSTONE_CHECK(payload.size() == FilterPayloadBytes(header));
  std::string block;
  block.reserve(kFilterHeaderBytes + payload.size() + kFilterChecksumBytes);
  block.append(EncodeHeader(header));
  block.append(payload);
  AppendFixed64(&block, Checksum64(block));
  SILTSTONE_DCHECK(ParseFilterBlock(block).ok());
  return block;
}

absl::StatusOr<FilterBlockHeader> ParseFilterBlock(std::string_view block) {
  SILTSTONE_RETURN_IF_ERROR(CheckVersion(block));
  SILTSTONE_RETURN_IF_ERROR(CheckChecksum(block));
  const uint8_t kind = static_cast<uint8_t>(block[kKindOffset]);
  const FilterBlockHeader header{
      .kind = static_cast<FilterKind>(kind),
      .salt = LoadFixed64(block.data() + kSaltOffset),
      .key_count = LoadFixed64(block.data() + kKeyCountOffset),
      .configured_fp_chance = std::bit_cast<double>(LoadFixed64(block.data() + kChanceOffset)),
      .size = LoadFixed64(block.data() + kSizeOffset),
      .probes = LoadFixed32(block.data() + kProbesOffset)};
  if (!IsKnown(header.kind)) {
    return absl::UnimplementedError(
        absl::StrCat("filter block kind: observed ", kind, ", known 1 to 3"));
  }
  SILTSTONE_RETURN_IF_ERROR(CheckFields(block, header));
  SILTSTONE_RETURN_IF_ERROR(CheckPayload(FilterPayload(block), header));
  return header;
}

}  // namespace siltstone
