#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

// Paths of file systems that keep their names in a map.

namespace siltstone {

// Rooted, without empty parts, "." and "..", and without a slash at the end: "db//x/" is "/db/x".
std::string NormaliseMemoryPath(std::string_view path);

// REQUIRES: `path` is normalised. The parent of "/" is "/".
std::string ParentOfMemoryPath(std::string_view path);

// "cannot OPERATION PATH: CAUSE".
absl::Status MemoryPathError(absl::StatusCode code, std::string_view operation,
                             std::string_view path, std::string_view cause);

// Nothing stands at `path`; or, `behind_file`, a file where a directory is needed.
absl::Status MemoryPathMissing(std::string_view operation, std::string_view path, bool behind_file);

}  // namespace siltstone
