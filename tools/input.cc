#include "tools/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tools/interrupt.h"

namespace siltstone::tools {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

absl::Status OpenError(const std::string& path, int error) {
  const std::string message = "cannot read " + path + ": " + strerror(error);
  return error == EACCES || error == EPERM ? absl::PermissionDeniedError(message)
                                           : absl::NotFoundError(message);
}

}  // namespace

Input::Input(int fd, std::string name, bool is_regular_file)
    : fd_(fd), name_(std::move(name)), is_regular_file_(is_regular_file) {}

Input::~Input() {
  if (fd_ != STDIN_FILENO) close(fd_);
}

absl::StatusOr<std::unique_ptr<Input>> Input::Open(const std::string& path) {
  if (path == "-") return std::unique_ptr<Input>(new Input(STDIN_FILENO, "stdin", false));
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return OpenError(path, errno);
  struct stat info = {};
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    close(fd);
    return OpenError(path, EISDIR);
  }
  return std::unique_ptr<Input>(new Input(fd, path, S_ISREG(info.st_mode)));
}

absl::StatusOr<bool> Input::Fill() {
  buffer_.erase(0, position_);
  position_ = 0;
  const size_t before = buffer_.size();
  buffer_.resize(before + kBufferBytes);
  ssize_t count = -1;
  absl::Status interrupted = WaitToRead(fd_);
  while (interrupted.ok()) {
    count = read(fd_, buffer_.data() + before, kBufferBytes);
    if (count >= 0 || errno != EINTR) break;
    interrupted = WaitToRead(fd_);
  }
  const int error = errno;
  // SIGINT often ends what writes to the pipe, too: its end is then not the end of the data.
  if (interrupted.ok()) interrupted = CheckInterrupt();
  buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (!interrupted.ok()) return interrupted;
  if (count < 0) {
    return absl::UnavailableError("cannot read " + name_ + " at offset " +
                                  std::to_string(offset_ + before) + ": " + strerror(error));
  }
  return count > 0;
}

void Input::Take(size_t size_bytes) {
  position_ += size_bytes;
  offset_ += size_bytes;
}

absl::StatusOr<bool> Input::ReadLine(std::string* line, char ending) {
  line->clear();
  bool any = false;
  while (true) {
    const std::string_view have = buffered();
    const size_t end = have.find(ending);
    any = any || !have.empty();
    line->append(have.substr(0, end));
    Take(end == std::string_view::npos ? have.size() : end + 1);
    if (end != std::string_view::npos) break;
    if (line->size() > kMaxLineBytes) {
      return absl::DataLossError("line longer than " + std::to_string(kMaxLineBytes) +
                                 " bytes, in " + name_ + " at line " +
                                 std::to_string(line_number_ + 1));
    }
    absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more;
    if (!*more && !any) return false;
    if (!*more) break;
  }
  ++line_number_;
  return true;
}

absl::Status Input::Read(uint64_t size_bytes, std::string* out) {
  while (size_bytes > 0) {
    if (buffered().empty()) {
      absl::StatusOr<bool> more = Fill();
      if (!more.ok()) return more.status();
      if (!*more) break;
    }
    const std::string_view piece = buffered().substr(0, size_bytes);
    out->append(piece);
    size_bytes -= piece.size();
    Take(piece.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> Input::Peek(size_t size_bytes) {
  while (buffered().size() < size_bytes) {
    absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more.status();
    if (!*more) break;
  }
  return buffered().substr(0, size_bytes);
}

absl::Status Input::Rewind() {
  if (lseek(fd_, 0, SEEK_SET) != 0) {
    return absl::UnavailableError("cannot go back in " + name_ + ": " + strerror(errno));
  }
  buffer_.clear();
  position_ = 0;
  offset_ = 0;
  line_number_ = 0;
  return absl::OkStatus();
}

bool Input::is_terminal() const { return isatty(fd_) == 1; }

std::string Input::LinePlace() const {
  return " in " + name_ + " at line " + std::to_string(line_number_);
}

}  // namespace siltstone::tools
