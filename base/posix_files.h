#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

// The files of the POSIX file system. Contracts: siltstone/file_system.h.

namespace siltstone {

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenPosixFile(const std::string& path);
absl::StatusOr<std::unique_ptr<TableFile>> CreatePosixTable(const std::string& path);
absl::StatusOr<std::unique_ptr<LogFile>> CreatePosixLog(const std::string& path,
                                                        uint64_t allocated_bytes);

}  // namespace siltstone
