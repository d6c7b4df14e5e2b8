#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// The memory of a memtable: handed out piece by piece, freed all at once.
//
//   Arena arena;
//   char* bytes = arena.Allocate(100);   // 8-byte aligned, lives as long as the arena

namespace siltstone {

// A bump allocator over chunks.
//
// Why: a memtable makes millions of small objects of one lifetime. A chunk costs one call of the
// allocator for all that fit in it, neighbours in time become neighbours in memory, and readers may
// hold plain pointers.
//
// Invariants:
//   A1. A chunk is an eighth of what the arena holds already, at least 4 KiB and at most 1 MiB: a
//   small
//       memtable stays small, and memory_bytes() is never far above used_bytes().
//   A2. A piece of more than a quarter of the next chunk gets a chunk of its own, of exactly its
//   size, and the
//       chunk in use stays in use: at most a quarter of a chunk is ever left behind.
//
// Thread safety: Allocate by one thread at a time; the two counters by any thread at any time.
// Cost: Allocate O(1), one call of the allocator a chunk.
class Arena {
 public:
  static constexpr size_t kAlignment = 8;
  static constexpr size_t kMinChunkBytes = size_t{4} << 10;
  static constexpr size_t kMaxChunkBytes = size_t{1} << 20;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised memory, aligned to kAlignment. REQUIRES: size_bytes > 0.
  char* Allocate(size_t size_bytes) {
    const size_t rounded = (size_bytes + kAlignment - 1) & ~(kAlignment - 1);
    if (rounded > remaining_bytes_ || rounded < size_bytes) return AllocateSlow(size_bytes);
    char* piece = next_;
    next_ += rounded;
    remaining_bytes_ -= rounded;
    AddUsed(rounded);
    return piece;
  }

  // Bytes of all chunks, their headers included: what the arena holds.
  size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  // Bytes handed out, rounded up to the alignment: what memory_bytes() would be without room to
  // spare.
  size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  // Stands at the start of each chunk.
  struct alignas(16) ChunkHeader {
    ChunkHeader* previous;
    size_t size_bytes;
  };

  char* AllocateSlow(size_t size_bytes);
  char* AddChunk(size_t size_bytes);
  size_t NextChunkBytes() const;
  // One writer, so a plain load and store: no locked instruction on the write path.
  void AddUsed(size_t bytes) {
    used_bytes_.store(used_bytes_.load(std::memory_order_relaxed) + bytes,
                      std::memory_order_relaxed);
  }

  char* next_ = nullptr;
  size_t remaining_bytes_ = 0;
  ChunkHeader* newest_chunk_ = nullptr;
  std::atomic<size_t> memory_bytes_{0};
  std::atomic<size_t> used_bytes_{0};
};

}  // namespace siltstone
