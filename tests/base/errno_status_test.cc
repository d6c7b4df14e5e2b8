#include "base/errno_status.h"

#include <errno.h>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

absl::StatusCode CodeOf(int error_number) { return ErrnoStatus("open", "/x", error_number).code(); }

TEST(ErrnoStatus, MapsCausesToCodes) {
  EXPECT_EQ(CodeOf(ENOENT), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(ENOTDIR), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(EEXIST), absl::StatusCode::kAlreadyExists);
  for (const int error : {EACCES, EPERM, EROFS}) {
    EXPECT_EQ(CodeOf(error), absl::StatusCode::kPermissionDenied);
  }
  for (const int error : {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE}) {
    EXPECT_EQ(CodeOf(error), absl::StatusCode::kResourceExhausted);
  }
  for (const int error : {EIO, EISDIR, ENOTEMPTY, EINVAL, ENXIO, ESTALE}) {
    EXPECT_EQ(CodeOf(error), absl::StatusCode::kUnavailable);
  }
}

TEST(ErrnoStatus, NamesOperationPathAndCause) {
  EXPECT_EQ(ErrnoStatus("append to", "/db/000001-000004.log", ENOSPC).message(),
            "cannot append to /db/000001-000004.log: No space left on device");
}

}  // namespace
}  // namespace siltstone
