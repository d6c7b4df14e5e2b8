#include "engine/error_state.h"

#include "absl/strings/str_cat.h"

namespace siltstone {

bool ErrorState::Set(const absl::Status& cause) {
  MutexLock lock(mutex_);
  if (!cause_.ok()) return false;
  cause_ = cause;
  failed_.store(true, std::memory_order_release);
  return true;
}

void ErrorState::Clear() {
  MutexLock lock(mutex_);
  cause_ = absl::OkStatus();
  failed_.store(false, std::memory_order_release);
}

absl::Status ErrorState::cause() const {
  MutexLock lock(mutex_);
  return cause_;
}

absl::Status ErrorState::Refusal() const {
  const absl::Status status = cause();
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("writes are refused since: ", status.message(),
                                   " (reads go on; call Resume() when the cause has gone)"));
}

}  // namespace siltstone
