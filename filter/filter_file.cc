#include "filter/filter_file.h"

#include <bit>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"
#include "filter/bloom_math.h"

namespace siltstone {

namespace {

// Offsets of the header's fields; FORMAT.md has the table.
constexpr size_t kVersionOffset = 8;
constexpr size_t kKindOffset = 12;
constexpr size_t kSeedOffset = 16;
constexpr size_t kCapacityOffset = 24;
constexpr size_t kChanceOffset = 32;
constexpr size_t kCountOffset = 40;
constexpr size_t kParametersOffset = 48;
constexpr size_t kPayloadSizeOffset = 80;

// U1, U2: rules that hold for every version there will ever be.
absl::Status CheckVersion(std::string_view bytes) {
  constexpr size_t kLeast = kFilterFileHeaderBytes + kFilterFileChecksumBytes;
  if (!bytes.starts_with(kFilterFileMagic)) {
    return absl::DataLossError("filter file magic: the bytes do not begin with SiltFltr");
  }
  if (bytes.size() < kLeast) {
    return DamagedFilterFile("size", bytes.size(), "at least 96 bytes");
  }
  const uint32_t version = LoadFixed32(bytes.data() + kVersionOffset);
  if (version != kFilterFileVersion) {
    return absl::UnimplementedError(
        absl::StrCat("filter file version: observed ", version, ", known ", kFilterFileVersion));
  }
  return absl::OkStatus();
}

// U3, U4.
absl::Status CheckWhole(std::string_view bytes) {
  const uint64_t stored_size = LoadFixed64(bytes.data() + kPayloadSizeOffset);
  const size_t payload_bytes = bytes.size() - kFilterFileHeaderBytes - kFilterFileChecksumBytes;
  if (stored_size != payload_bytes) {
    return DamagedFilterFile("payload size", stored_size,
                             absl::StrCat(payload_bytes, " by the size of the file"));
  }
  const std::string_view covered = bytes.substr(0, bytes.size() - kFilterFileChecksumBytes);
  const uint64_t stored = LoadFixed64(bytes.data() + covered.size());
  const uint64_t computed = Checksum64(covered);
  if (stored == computed) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("filter file checksum mismatch: stored 0x",
                                          absl::Hex(stored), ", computed 0x", absl::Hex(computed)));
}

// U5, U6.
absl::Status CheckFields(std::string_view bytes, const FilterFileHeader& header) {
  const uint8_t kind = static_cast<uint8_t>(header.kind);
  if (kind < static_cast<uint8_t>(Filter::Kind::kStandardBloom) ||
      kind > static_cast<uint8_t>(Filter::Kind::kExact)) {
    return absl::UnimplementedError(
        absl::StrCat("filter file kind: observed ", kind, ", known 1 to 7"));
  }
  for (size_t i = kKindOffset + 1; i < kSeedOffset; ++i) {
    if (bytes[i] != 0) {
      return DamagedFilterFile("reserved byte", static_cast<uint8_t>(bytes[i]), "0");
    }
  }
  const double chance = header.design.fp_chance;
  if (header.kind == Filter::Kind::kExact) {
    if (chance != 0 || header.design.capacity != 0) {
      return DamagedFilterFile("chance or capacity of an exact set (as bits)",
                               std::bit_cast<uint64_t>(chance) | header.design.capacity, "0");
    }
    return absl::OkStatus();
  }
  if (!(chance > 0 && chance <= 1)) {
    return DamagedFilterFile("chance (as bits)", std::bit_cast<uint64_t>(chance),
                             "above 0 and at most 1");
  }
  if (header.design.capacity == 0) return DamagedFilterFile("capacity", 0, "at least 1");
  return absl::OkStatus();
}

}  // namespace

std::string BeginFilterFile(const FilterFileHeader& header, size_t payload_bytes) {
  std::string out;
  out.reserve(kFilterFileHeaderBytes + payload_bytes + kFilterFileChecksumBytes);
  out.append(kFilterFileMagic);
  AppendFixed32(&out, kFilterFileVersion);
  AppendFixed32(&out, static_cast<uint32_t>(header.kind));
  AppendFixed64(&out, header.design.seed);
  AppendFixed64(&out, header.design.capacity);
  AppendFixed64(&out, std::bit_cast<uint64_t>(header.design.fp_chance));
  AppendFixed64(&out, header.count);
  for (const uint64_t parameter : header.parameters) AppendFixed64(&out, parameter);
  AppendFixed64(&out, payload_bytes);
  return out;
}

void FinishFilterFile(std::string* file) {
  SILTSTONE_CHECK(file->size() ==
                  kFilterFileHeaderBytes + LoadFixed64(file->data() + kPayloadSizeOffset));
  AppendFixed64(file, Checksum64(*file));
  SILTSTONE_DCHECK(ParseFilterFile(*file).ok());
}

absl::StatusOr<FilterFile> ParseFilterFile(std::string_view bytes) {
  SILTSTONE_RETURN_IF_ERROR(CheckVersion(bytes));
  SILTSTONE_RETURN_IF_ERROR(CheckWhole(bytes));
  FilterFile file;
  file.header.kind = static_cast<Filter::Kind>(bytes[kKindOffset]);
  file.header.design = {
      .capacity = LoadFixed64(bytes.data() + kCapacityOffset),
      .fp_chance = std::bit_cast<double>(LoadFixed64(bytes.data() + kChanceOffset)),
      .seed = LoadFixed64(bytes.data() + kSeedOffset)};
  file.header.count = LoadFixed64(bytes.data() + kCountOffset);
  for (size_t i = 0; i < file.header.parameters.size(); ++i) {
    file.header.parameters[i] = LoadFixed64(bytes.data() + kParametersOffset + 8 * i);
  }
  SILTSTONE_RETURN_IF_ERROR(CheckFields(bytes, file.header));
  file.payload = bytes.substr(kFilterFileHeaderBytes,
                              bytes.size() - kFilterFileHeaderBytes - kFilterFileChecksumBytes);
  return file;
}

absl::Status DamagedFilterFile(std::string_view what, uint64_t observed,
                               std::string_view expected) {
  return absl::DataLossError(absl::StrCat("filter file ", ToAbsl(what), ": observed ", observed,
                                          ", expected ", ToAbsl(expected)));
}

absl::Status InFilterFile(const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("filter file: ", status.message()));
}

absl::Status CheckUnusedParameters(const FilterFileHeader& header, size_t first) {
  for (size_t i = first; i < header.parameters.size(); ++i) {
    if (header.parameters[i] != 0) {
      return DamagedFilterFile("unused parameter", header.parameters[i], "0");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int> ProbesParameter(const FilterFileHeader& header, size_t index) {
  const uint64_t probes = header.parameters[index];
  if (probes < 1 || probes > static_cast<uint64_t>(kMaxProbes)) {
    return DamagedFilterFile("number of probes", probes, "1 to 64");
  }
  return static_cast<int>(probes);
}

}  // namespace siltstone
