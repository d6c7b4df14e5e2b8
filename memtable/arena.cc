#include "memtable/arena.h"

#include <algorithm>
#include <new>

#include "base/check.h"

namespace siltstone {

Arena::~Arena() {
  for (ChunkHeader* chunk = newest_chunk_; chunk != nullptr;) {
    ChunkHeader* previous = chunk->previous;
    ::operator delete(static_cast<void*>(chunk));
    chunk = previous;
  }
}

size_t Arena::NextChunkBytes() const {
  const size_t wanted = memory_bytes() / 8 / kMinChunkBytes * kMinChunkBytes;
  return std::clamp(wanted, kMinChunkBytes, kMaxChunkBytes);
}

char* Arena::AddChunk(size_t size_bytes) {
  static_assert(sizeof(ChunkHeader) % kAlignment == 0);
  void* memory = ::operator new(size_bytes);
  newest_chunk_ = new (memory) ChunkHeader{newest_chunk_, size_bytes};
  memory_bytes_.store(memory_bytes() + size_bytes, std::memory_order_relaxed);
  return static_cast<char*>(memory) + sizeof(ChunkHeader);
}

char* Arena::AllocateSlow(size_t size_bytes) {
  // A wrapped sum would hand out too little memory.
  SILTSTONE_CHECK(size_bytes <= SIZE_MAX - sizeof(ChunkHeader) - kAlignment);
  const size_t rounded = (size_bytes + kAlignment - 1) & ~(kAlignment - 1);
  const size_t chunk_bytes = NextChunkBytes();
  if (rounded > chunk_bytes / 4) {
    char* piece = AddChunk(rounded + sizeof(ChunkHeader));
    AddUsed(rounded);
    return piece;
  }
  next_ = AddChunk(chunk_bytes);
  remaining_bytes_ = chunk_bytes - sizeof(ChunkHeader);
  return Allocate(size_bytes);
}

}  // namespace siltstone
