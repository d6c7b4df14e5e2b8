#include "sstable/block.h"

#include <new>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"

namespace siltstone {

namespace {

constexpr size_t kRestartBytes = 4;
// What an allocator keeps beside an allocation, and loses by rounding, about.
constexpr size_t kAllocatorBytes = 16;

}  // namespace

Block* Block::Create(size_t capacity_bytes) {
  void* memory = ::operator new(sizeof(Block) + capacity_bytes);
  return new (memory) Block(capacity_bytes);
}

absl::Status Block::Seal(size_t size_bytes) {
  SILTSTONE_CHECK(size_bytes <= capacity_bytes_ && size_bytes <= kMaxBlockContentBytes);
  size_bytes_ = static_cast<uint32_t>(size_bytes);
  if (size_bytes < 2 * kRestartBytes) {
    return absl::DataLossError(
        absl::StrCat("data block size: ", size_bytes, ", expected at least ", 2 * kRestartBytes));
  }
  const uint64_t count = LoadFixed32(bytes() + size_bytes - kRestartBytes);
  const uint64_t array_bytes = (count + 1) * kRestartBytes;
  if (count == 0 || array_bytes >= size_bytes) {
    return absl::DataLossError(absl::StrCat("restart point count: ", count,
                                            ", impossible in a block of ", size_bytes, " bytes"));
  }
  restart_count_ = static_cast<uint32_t>(count);
  entry_bytes_ = static_cast<uint32_t>(size_bytes - array_bytes);
  uint32_t previous = 0;
  for (uint32_t i = 0; i < restart_count_; ++i) {
    const uint32_t offset = restart_offset(i);
    if (offset >= entry_bytes_ || (i == 0 ? offset != 0 : offset <= previous)) {
      return absl::DataLossError(absl::StrCat("restart point ", i, ": offset ", offset, " after ",
                                              previous, ", with ", entry_bytes_,
                                              " bytes of entries"));
    }
    previous = offset;
  }
  return absl::OkStatus();
}

uint32_t Block::restart_offset(uint32_t index) const {
  SILTSTONE_DCHECK(index < restart_count_);
  return LoadFixed32(bytes() + entry_bytes_ + size_t{index} * kRestartBytes);
}

size_t Block::memory_bytes() const { return sizeof(Block) + capacity_bytes_ + kAllocatorBytes; }

void Block::Unref() const {
  const uint32_t before = references_.fetch_sub(1, std::memory_order_acq_rel);
  SILTSTONE_DCHECK(before != 0);
  if (before != 1) return;
  this->~Block();
  ::operator delete(const_cast<Block*>(this));
}

}  // namespace siltstone
