#include "base/memory_path.h"

#include "absl/strings/str_cat.h"

#include "base/to_absl.h"

namespace siltstone {

std::string ParentOfMemoryPath(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string NormaliseMemoryPath(std::string_view path) {
  std::string normal = "/";
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size() < path.size() ? part.size() + 1 : part.size());
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      normal = ParentOfMemoryPath(normal);
      continue;
    }
    if (normal != "/") normal.push_back('/');
    normal.append(part);
  }
  return normal;
}

absl::Status MemoryPathError(absl::StatusCode code, std::string_view operation,
                             std::string_view path, std::string_view cause) {
  return absl::Status(
      code, absl::StrCat("cannot ", ToAbsl(operation), " ", ToAbsl(path), ": ", ToAbsl(cause)));
}

absl::Status MemoryPathMissing(std::string_view operation, std::string_view path,
                               bool behind_file) {
  return behind_file ? MemoryPathError(absl::StatusCode::kFailedPrecondition, operation, path,
                                       "Not a directory")
                     : MemoryPathError(absl::StatusCode::kNotFound, operation, path,
                                       "No such file or directory");
}

}  // namespace siltstone
