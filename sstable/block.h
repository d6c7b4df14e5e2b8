#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

#include "sstable/block_format.h"

namespace siltstone {

// The uncompressed contents of a data block, with a count of references and the links of the block cache,
// all in one allocation: a read that hits the cache touches the head and then bytes right behind it.
//
// Invariants:
//   I1. The bytes do not change once the block is shared.
//   I2. restart_count() and entry_bytes() obey S6 (but that a restart point begins an entry), as Seal
//       checked: the entries are contents()[0, entry_bytes()).
//   I3. A block is in at most one cache, once in its life.
// Thread safety: Ref and Unref are thread-safe; the rest is immutable after Seal, but for the links, which
// belong to the cache.
// Cost: one allocation of kHeadBytes and the contents.
class Block {
 public:
  // A block with room for `capacity_bytes`, one reference, and no valid contents.
  static Block* Create(size_t capacity_bytes);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Before it is shared: fill the bytes, then Seal.
  char* mutable_bytes() { return reinterpret_cast<char*>(this + 1); }
  // Takes the first `size_bytes` bytes as contents. DataLoss, without a place, when S6 does not hold.
  absl::Status Seal(size_t size_bytes);

  std::string_view contents() const { return {bytes(), size_bytes_}; }
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  uint32_t entry_bytes() const { return entry_bytes_; }
  uint32_t restart_count() const { return restart_count_; }
  // REQUIRES: index < restart_count(). The result is below entry_bytes().
  uint32_t restart_offset(uint32_t index) const;

  // Bytes of memory, with what the allocator is likely to add.
  size_t memory_bytes() const;

  void Ref() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const;

 private:
  friend class BlockCacheShard;
  friend class BlockCache;

  explicit Block(size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}
  ~Block() = default;

  // Links of the cache: the chain of a bucket is read under an EpochGuard, the rest under the shard's lock.
  std::atomic<Block*> chain_next_{nullptr};
  uint64_t table_uid_ = 0;
  uint64_t offset_ = 0;
  std::atomic<uint8_t> use_mark_{0};
  bool cached_before_ = false;
  bool in_main_queue_ = false;

  mutable std::atomic<uint32_t> references_{1};
  uint32_t size_bytes_ = 0;
  uint32_t entry_bytes_ = 0;
  uint32_t restart_count_ = 0;

  Block* queue_older_ = nullptr;
  Block* queue_newer_ = nullptr;
  size_t capacity_bytes_;
};

// A block that is being looked at: either borrowed from the cache, good for as long as the caller's
// EpochGuard lives, or with a reference of its own. Thread-compatible.
class BlockRef {
 public:
  BlockRef() = default;
  ~BlockRef() { Reset(); }
  BlockRef(BlockRef&& other) noexcept { *this = std::move(other); }
  BlockRef& operator=(BlockRef&& other) noexcept {
    if (this == &other) return *this;
    Reset();
    block_ = std::exchange(other.block_, nullptr);
    owned_ = std::exchange(other.owned_, false);
    return *this;
  }

  static BlockRef Borrowed(const Block* block) { return BlockRef(block, false); }
  // Takes over one reference.
  static BlockRef Owned(const Block* block) { return BlockRef(block, true); }

  // Makes it last beyond the guard. REQUIRES, where it is borrowed: the guard still lives.
  void Own() {
    if (block_ == nullptr || owned_) return;
    block_->Ref();
    owned_ = true;
  }
  // Hands one reference, to be dropped with Unref, to the caller; taken now where it was borrowed.
  const Block* Release() {
    Own();
    owned_ = false;
    return std::exchange(block_, nullptr);
  }
  void Reset() {
    if (owned_) block_->Unref();
    block_ = nullptr;
    owned_ = false;
  }

  const Block* get() const { return block_; }
  bool owned() const { return owned_; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  BlockRef(const Block* block, bool owned) : block_(block), owned_(owned) {}

  const Block* block_ = nullptr;
  bool owned_ = false;
};

}  // namespace siltstone
