#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace siltstone {

// The status of a system call that ended with `error_number`, as include/siltstone/file_system.h maps them:
//   ENOENT                            NotFound
//   ENOTDIR                           FailedPrecondition
//   EEXIST                            AlreadyExists
//   EACCES EPERM EROFS                PermissionDenied
//   ENOSPC EDQUOT EFBIG EMFILE ENFILE ResourceExhausted
//   any other                         Unavailable
// Message: "cannot OPERATION PATH: CAUSE", e.g. operation "append to".
// REQUIRES: error_number != 0.
absl::Status ErrnoStatus(std::string_view operation, std::string_view path, int error_number);

}  // namespace siltstone
