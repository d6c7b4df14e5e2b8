#include "tools/output.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/interrupt.h"
#include <poll.h>

namespace siltstone::tools {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

absl::Status WriteError(int error) {
  const std::string message = std::string("cannot write to stdout: ") + strerror(error);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::UnavailableError(message);
}

void WaitToWrite(int fd) {
  pollfd waited = {.fd = fd, .events = POLLOUT, .revents = 0};
  poll(&waited, 1, /*timeout=*/-1);  // an interruption, an error: the next write tells
}

}  // namespace

Output::Output(int fd) : fd_(fd), is_terminal_(isatty(fd) == 1) {}

void Output::Write(std::string_view bytes) {
  if (!status_.ok()) return;
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) Flush().IgnoreError();
}

absl::Status Output::Flush() {
  std::string_view rest = buffer_;
  while (status_.ok() && !rest.empty()) {
    const ssize_t written = write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      // Whoever gave us the pipe or terminal made it non-blocking.
      WaitToWrite(fd_);
      status_ = CheckInterrupt();
    } else if (errno != EINTR) {
      reader_gone_ = errno == EPIPE;
      status_ = WriteError(errno);
    } else {
      status_ = CheckInterrupt();
    }
  }
  buffer_.clear();
  return status_;
}

size_t Output::width() const {
  winsize size = {};
  if (!is_terminal_ || ioctl(fd_, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace siltstone::tools
