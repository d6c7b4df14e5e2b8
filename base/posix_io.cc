#include "base/posix_io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <limits>

namespace siltstone {
namespace {

// Calls again while a signal interrupts.
template <typename Call>
auto Retrying(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Whether the system can express a transfer that ends there.
bool IsBeyondOffsets(uint64_t offset, size_t count) {
  const uint64_t limit = std::numeric_limits<off_t>::max();
  return offset > limit || count > limit - offset;
}

}  // namespace

int FileDescriptor::Close() {
  if (number_ < 0) return 0;
  const int result = close(std::exchange(number_, -1));
  // After an interruption the descriptor is gone all the same; calling again could close somebody else's.
  return result == 0 || errno == EINTR ? 0 : errno;
}

FileDescriptor OpenDescriptor(const std::string& path, int flags, mode_t mode) {
  return FileDescriptor(Retrying([&] { return open(path.c_str(), flags | O_CLOEXEC, mode); }));
}

int WriteFully(int descriptor, std::string_view bytes, uint64_t offset) {
  if (IsBeyondOffsets(offset, bytes.size())) return EFBIG;
  while (!bytes.empty()) {
    const ssize_t written = Retrying(
        [&] { return pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (written < 0) return errno;
    if (written == 0) return EIO;  // would go on for ever
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return 0;
}

int ReadFully(int descriptor, std::span<char> out, uint64_t offset, size_t* read_bytes) {
  *read_bytes = 0;
  if (IsBeyondOffsets(offset, out.size())) return 0;
  while (*read_bytes < out.size()) {
    const ssize_t count = Retrying([&] {
      return pread(descriptor, out.data() + *read_bytes, out.size() - *read_bytes,
                   static_cast<off_t>(offset + *read_bytes));
    });
    if (count < 0) return errno;
    if (count == 0) return 0;
    *read_bytes += static_cast<size_t>(count);
  }
  return 0;
}

int SyncDescriptor(int descriptor) {
  return Retrying([&] { return fsync(descriptor); }) == 0 ? 0 : errno;
}

int SyncDescriptorData(int descriptor) {
  return Retrying([&] { return fdatasync(descriptor); }) == 0 ? 0 : errno;
}

}  // namespace siltstone
