#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

#include "base/checksum.h"
#include "engine/manifest/file_names.h"

namespace siltstone {

// What CURRENT says: which manifest counts, and of which database. A plain value.
//
// Format: FORMAT.md "CURRENT", M3 and M4. Any file that is not, byte for byte, what EncodeCurrent gives is
// damaged.
struct CurrentFile {
  FileId manifest;
  TableId database_id;
  bool operator==(const CurrentFile&) const = default;

  std::string manifest_name() const { return ManifestFileName(manifest); }
};

std::string EncodeCurrent(const CurrentFile& current);

// DataLoss, without a place, for anything but the result of EncodeCurrent.
absl::StatusOr<CurrentFile> DecodeCurrent(std::string_view contents);

// NotFound where there is none: no database here. DataLoss where it is damaged.
absl::StatusOr<CurrentFile> ReadCurrent(FileSystem& file_system, std::string_view directory);

// Atomic and durable when it returns OK; after an error the old one or the new one is there.
absl::Status WriteCurrent(FileSystem& file_system, std::string_view directory,
                          const CurrentFile& current);

}  // namespace siltstone
