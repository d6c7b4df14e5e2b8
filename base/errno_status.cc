#include "base/errno_status.h"

#include <errno.h>

#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/to_absl.h"

namespace siltstone {
namespace {

absl::StatusCode CodeOf(int error_number) {
  switch (error_number) {
    case ENOENT:
      return absl::StatusCode::kNotFound;
    case ENOTDIR:
      return absl::StatusCode::kFailedPrecondition;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

}  // namespace

absl::Status ErrnoStatus(std::string_view operation, std::string_view path, int error_number) {
  SILTSTONE_DCHECK(error_number != 0);
  return absl::Status(CodeOf(error_number),
                      absl::StrCat("cannot ", ToAbsl(operation), " ", ToAbsl(path), ": ",
                                   std::generic_category().message(error_number)));
}

}  // namespace siltstone
