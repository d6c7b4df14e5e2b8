#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cpu_features.h"
#include "filter/ribbon_layout.h"

// Asks a ribbon: which rows, then whether their sum is the fingerprint.
//
// A block holds the bits of 64 rows column by column, so that with the equation moved to where it starts, each
// column's sum is the parity of (word of this block & low half) ^ (word of the next & high half). No
// step depends on the key by a branch: the layer is chosen by a mask, all columns are summed before any is looked at.
//
// Thread safety: immutable, pure functions.

// Becomes part of the function that calls it, and so is compiled for the machine of that function.
#define SILTSTONE_INLINE inline __attribute__((always_inline))

namespace siltstone {

// One layer of a shard, ready to be asked.
struct RibbonLayer {
  // Block b has its words from base + b (most columns - 1) + max(b, split block) on (mod 2^64).
  uint64_t base = 0;
  uint64_t split = 0;
  uint32_t starts = 0;
  uint32_t split_block = 0;
};

// What a probe reads of a shard: one cache line.
struct alignas(64) RibbonShard {
  RibbonLayer bumped, plain;
  const char* thresholds = nullptr;
  uint64_t plain_factor = 1;
};

// Where a key's answer stands.
struct RibbonPlace {
  const uint64_t* rows;  // the words of its block
  const uint64_t* next;  // those of the block behind
  uint64_t low, high;    // its equation, as it falls on the two
  uint64_t fingerprint;
  uint64_t mask;  // the columns that count
};

struct RibbonTable;
// Whether a key's sum is its fingerprint; the same for `count` places.
using RibbonTest = bool (*)(const RibbonTable& table, uint64_t hash);
using RibbonTestPlaces = void (*)(const RibbonTable& table, const RibbonPlace* places, size_t count,
                                  bool* answers);

// A ribbon in memory. The words are followed by kRibbonSlackBytes that may be loaded.
struct RibbonTable {
  uint64_t salt = 0;
  uint64_t shard_count = 1;
  uint64_t most_columns = 1;
  uint64_t mask = 1;  // a bit for each of the most columns
  const uint64_t* words = nullptr;
  const RibbonShard* shards = nullptr;
  RibbonTest test = nullptr;
  RibbonTestPlaces test_places = nullptr;
};

// The widest load takes eight words where one may be left.
inline constexpr size_t kRibbonSlackBytes = 64;

// Sets both tests to the fastest that `cpu` has for so many columns. AVX2 sums eight columns at once, and halves what
// it has summed until one bit a column is left; AVX-512 with VPOPCNTDQ counts bits instead. Without the
// latter, AVX-512 has nothing to add.
void ChooseRibbonTest(const CpuFeatures& cpu, RibbonTable* table);

// The block and the equation of a key. A key that the bumped layer sent on has its row in the plain one: two keys
// in a hundred, whether they were added or not.
SILTSTONE_INLINE RibbonPlace PlaceOf(const RibbonTable& table, uint64_t hash) {
  __extension__ using Wide = unsigned __int128;
  const uint64_t h = RibbonHash(hash, table.salt);
  const Wide shard_and_position = static_cast<Wide>(h) * table.shard_count;
  const RibbonShard& shard = table.shards[static_cast<size_t>(shard_and_position >> 64)];
  const RibbonLayer* layer = &shard.bumped;
  auto position = static_cast<uint64_t>(shard_and_position);
  uint64_t start = FastRange64(position, layer->starts);
  const uint64_t threshold = RibbonThresholdOf(shard.thresholds, start / kRibbonBucketStarts);
  if (start % kRibbonBucketStarts < threshold) [[unlikely]] {
    layer = &shard.plain;
    position = h * shard.plain_factor;
    start = FastRange64(position, layer->starts);
  }
  const uint64_t coefficients = RibbonCoefficients(h);
  const uint64_t block = start / kRibbonBlockRows, row = start % kRibbonBlockRows;
  const uint64_t fewer_columns = table.most_columns - 1;
  const uint64_t whole = block >= layer->split_block;  // it has a word for every column
  const uint64_t* rows = table.words + (layer->base + block * fewer_columns +
                                        std::max<uint64_t>(block, layer->split_block));
  return {.rows = rows,
          .next = rows + fewer_columns + whole,
          .low = coefficients << row,
          .high = coefficients >> 1 >> (63 - row),
          .fingerprint = h,
          .mask = table.mask >> (position < layer->split)};
}

// Starts loading what PlaceOf found.
SILTSTONE_INLINE void PrefetchRows(const RibbonPlace& place, uint64_t most_columns) {
  __builtin_prefetch(place.rows);
  __builtin_prefetch(place.next);
  __builtin_prefetch(place.next + most_columns - 1);
}

}  // namespace siltstone
