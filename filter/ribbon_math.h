#pragma once

#include <cstdint>

// The arithmetic of ribbon filters: how many columns for which chance, how many rows for how many keys.
//
//   const RibbonColumns columns = ColumnsForChance(0.01);   // most 7, a share of 0.28 of the keys has 6
//   RibbonRate(columns.most, columns.fewer_share);          // 0.01
//   RibbonBitsPerKey(1'000'000, 0.01);                      // 6.76
//
// A ribbon is a system of linear equations over GF(2): each key says that the sum of some of 64 adjacent rows
// of a table is the key's fingerprint. A key that was added finds its fingerprint; for any other key the sum is
// independent of the fingerprint, so that each column agrees with a chance of one half: r columns give 2^-r
// exactly, for every table, however full.
//
// (P. Dillinger, S. Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021; P. Dillinger,
// L. Huebschle-Schneider, P. Sanders, S. Walzer, "Fast Succinct Retrieval and Approximate Membership Using Ribbon",
// SEA 2022.)
//
// Thread safety: pure functions. Cost: constant time.

namespace siltstone {

// --- columns ---

// 2^-40, kSmallestChance, takes forty; no filter is built for less.
inline constexpr int kMaxRibbonColumns = 40;

struct RibbonColumns {
  int most;            // r + 1 = ceil(log2 1/p), at least 1
  double fewer_share;  // a, the share of the keys that has one column less; at least 0, below 1
};

// A share a of the keys is tested by r columns, the rest by r + 1, so that a 2^-r + (1 - a) 2^-(r+1) = p:
// a = (p - 2^-(r+1)) / 2^-(r+1). (Dillinger and Walzer, section 4.4, vary the columns for the sake of the memory; the
// same serves to meet any p.) Above one half r is 0: that share of the keys is answered "maybe" without a table.
// REQUIRES: 0 < chance <= 1. Below kSmallestChance it answers for kSmallestChance.
RibbonColumns ColumnsForChance(double chance);

// a 2^-r + (1 - a) 2^-(r+1) = 2^-most (1 + fewer_share): the inverse.
double RibbonRate(int most, double fewer_share);

// --- rows ---

// Rows stand in blocks of 64, and an equation that starts in one block reaches into the next: at least two.
inline constexpr uint64_t kRibbonBlockRows = 64;

// The blocks for the layer that may send keys on: fewer rows (0.98) than keys. The keys that find no place are
// sent on; nearly every row is then used (SEA 2022, section 4: "overloading"). Measured for 64-bit equations and
// thresholds of 16 and 40 in buckets of 128: 2.3 % are sent on, 0.25 % of the rows stay empty.
uint64_t BumpedLayerBlocks(uint64_t keys);

// The blocks for the layer that must place every key: for 64-bit equations about k (1 + 0.005 log2 k) rows solve in nearly
// all cases (2021, section 3: the overhead grows with log k over the width of an equation). `attempt` 0, 1, ...:
// each gives a sixteenth more.
uint64_t PlainLayerBlocks(uint64_t keys, uint64_t attempt);

// Up to this many keys one plain layer takes less than a bumped and a plain one with their blocks' ends.
inline constexpr uint64_t kMaxPlainKeys = 2000;

// --- tables ---

// A few keys and a small chance make a sorted list of fingerprints, which is smaller than two blocks of rows. Fingerprints are
// uniform below a range: n of them in a range of n/p meet an absent key with the chance p.
bool IsRibbonList(uint64_t keys, double chance);
uint64_t RibbonListRange(uint64_t fingerprints, double chance);
// The bytes of one fingerprint. REQUIRES: range > 0.
uint64_t RibbonListWidth(uint64_t range);

// A shard is solved, and can be read, by itself: the memory of solving it does not grow with the table.
inline constexpr uint64_t kRibbonShardKeys = uint64_t{1} << 18;
uint64_t RibbonShards(uint64_t keys);

// What a block (FORMAT.md, "Filter block") of a ribbon for so many keys takes, in bits a key: its rows times the mean
// number of columns, 2 bits for each bucket of 128 rows, header and directory. Exact up to 2,000 keys, within 1.5 %
// behind and 0.2 % from 100,000 on. REQUIRES: keys > 0.
double RibbonBitsPerKey(uint64_t keys, double chance);

}  // namespace siltstone
