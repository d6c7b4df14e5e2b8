#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/filter.h"

// The envelope of a filter that stands in a file of its own: what kind it is, what it was made for,
// and whether its bytes are whole. What the payload means is for each kind to say.
//
//   std::string file = BeginFilterFile(header, payload.size());
//   file.append(payload);
//   FinishFilterFile(&file);
//   absl::StatusOr<FilterFile> parsed = ParseFilterFile(file);   // parsed->payload is a view of it

namespace siltstone {

// Format (FORMAT.md, "Filter file"): a header of 88 bytes, the payload, a checksum of 8 bytes.
inline constexpr std::string_view kFilterFileMagic = "SiltFltr";
inline constexpr uint32_t kFilterFileVersion = 1;
inline constexpr size_t kFilterFileHeaderBytes = 88;
inline constexpr size_t kFilterFileChecksumBytes = 8;

// Immutable once filled in.
struct FilterFileHeader {
  Filter::Kind kind = Filter::Kind::kStandardBloom;
  FilterDesign design;
  uint64_t count = 0;
  std::array<uint64_t, 4> parameters = {};  // by kind; zero where a kind has fewer
};

struct FilterFile {
  FilterFileHeader header;
  std::string_view payload;
};

// The header, with room reserved for a payload of exactly `payload_bytes`, which the caller
// appends.
std::string BeginFilterFile(const FilterFileHeader& header, size_t payload_bytes);
// Appends the checksum. REQUIRES: the payload has the length promised (checked).
void FinishFilterFile(std::string* file);

// Validates what all kinds have in common; DataLoss for anything that is not whole, Unimplemented
// for a version or a kind that this program does not know. Allocates nothing but the message of an
// error.
absl::StatusOr<FilterFile> ParseFilterFile(std::string_view bytes);

// For the kinds: DataLoss, "filter file WHAT: observed N, expected ...".
absl::Status DamagedFilterFile(std::string_view what, uint64_t observed, std::string_view expected);
// Puts "filter file: " in front of the message of an error.
absl::Status InFilterFile(const absl::Status& status);
// DataLoss unless the parameters from `first` on are zero.
absl::Status CheckUnusedParameters(const FilterFileHeader& header, size_t first);
// The number of probes in parameter `index`: 1 to kMaxProbes.
absl::StatusOr<int> ProbesParameter(const FilterFileHeader& header, size_t index);

}  // namespace siltstone
