#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

namespace siltstone {

// FileSystem::LockFile of the POSIX file system: a lock of the open file (not of the process), and a
// list of the locks of this process so that a second attempt can be told "this process".
//
// Format: the file holds the process id of the last holder in decimal and a line end. It is written once
// the lock is held, for messages only: the lock is the truth.
absl::StatusOr<std::unique_ptr<FileLock>> LockPosixFile(const std::string& path);

}  // namespace siltstone
