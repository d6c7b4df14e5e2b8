#include "memtable/arena.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

TEST(Arena, HoldsNothingBeforeTheFirstPiece) {
  Arena arena;
  EXPECT_EQ(arena.memory_bytes(), 0u);
  EXPECT_EQ(arena.used_bytes(), 0u);
}

TEST(Arena, FirstChunkIsSmall) {
  Arena arena;
  arena.Allocate(1);
  EXPECT_EQ(arena.memory_bytes(), Arena::kMinChunkBytes);
  EXPECT_EQ(arena.used_bytes(), 8u);
}

TEST(Arena, PiecesAreAlignedAndDisjoint) {
  Arena arena;
  std::vector<std::pair<char*, size_t>> pieces;
  for (size_t i = 0; i < 3000; ++i) {
    const size_t size = i % 300 == 299 ? 20'000 + i : 1 + i * 7 % 97;
    char* piece = arena.Allocate(size);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(piece) % Arena::kAlignment, 0u);
    std::memset(piece, static_cast<int>(i % 251), size);
    pieces.emplace_back(piece, size);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t j = 0; j < pieces[i].second; ++j) {
      ASSERT_EQ(static_cast<unsigned char>(pieces[i].first[j]), i % 251) << i;
    }
  }
}

TEST(Arena, ALargePieceGetsAChunkOfItsOwnAndLeavesTheOneInUse) {
  Arena arena;
  char* first = arena.Allocate(16);
  const size_t before = arena.memory_bytes();
  arena.Allocate(size_t{1} << 20);
  EXPECT_EQ(arena.memory_bytes(), before + (size_t{1} << 20) + 16);
  EXPECT_EQ(arena.Allocate(16), first + 16);
}

TEST(Arena, MemoryStaysNearWhatIsUsed) {
  Arena arena;
  for (int i = 0; i < 500'000; ++i) {
    arena.Allocate(40 + static_cast<size_t>(i % 64));
    if (arena.used_bytes() >= 64 * 1024) {
      ASSERT_LE(arena.memory_bytes(), arena.used_bytes() + arena.used_bytes() / 6) << i;
    }
  }
}

TEST(Arena, ChunksGrowToTheirLimitAndNoFurther) {
  Arena arena;
  size_t last = 0, largest = 0;
  while (arena.memory_bytes() < (size_t{32} << 20)) {
    arena.Allocate(64);
    if (last != 0) largest = std::max(largest, arena.memory_bytes() - last);
    last = arena.memory_bytes();
  }
  EXPECT_EQ(largest, Arena::kMaxChunkBytes);
}

}  // namespace
}  // namespace siltstone
