#include "engine/wal/log_window.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/status_macros.h"

namespace siltstone {

LogWindow::LogWindow(std::unique_ptr<RandomAccessFile> file, uint64_t limit)
    : file_(std::move(file)), limit_(limit) {
  SILTSTONE_CHECK(limit_ <= file_->size_bytes());
}

absl::StatusOr<std::span<char>> LogWindow::View(uint64_t offset, uint64_t count) {
  SILTSTONE_CHECK(offset <= limit_ && count <= limit_ - offset);
  if (offset >= held_offset_ && offset - held_offset_ <= held_bytes_ &&
      count <= held_bytes_ - (offset - held_offset_)) {
    return std::span<char>(buffer_.get() + (offset - held_offset_), count);
  }
  const uint64_t wanted = std::min(std::max<uint64_t>(count, kChunkBytes), limit_ - offset);
  held_bytes_ = 0;
  // A buffer that one large record needed is not kept for the small ones behind it.
  if (wanted > buffer_bytes_ || (wanted <= kChunkBytes && buffer_bytes_ > kChunkBytes)) {
    buffer_.reset();
    buffer_.reset(new (std::nothrow) char[wanted]);
    buffer_bytes_ = buffer_ == nullptr ? 0 : wanted;
    if (buffer_ == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory to read ", wanted, " bytes of a log"));
    }
  }
  SILTSTONE_RETURN_IF_ERROR(file_->Read(offset, {buffer_.get(), wanted}));
  held_offset_ = offset;
  held_bytes_ = wanted;
  return std::span<char>(buffer_.get(), count);
}

absl::StatusOr<std::span<char>> LogWindow::ViewChunk(uint64_t offset) {
  return View(offset, std::min<uint64_t>(kChunkBytes, limit_ - offset));
}

}  // namespace siltstone
