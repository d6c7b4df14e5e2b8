#include "filter/ribbon_math.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "filter/bloom_math.h"

namespace siltstone {

namespace {

// Rows of a bumped layer for each key of it, and the share of the keys that such a layer sends on.
constexpr double kRowsPerKey = 0.98;
constexpr double kBumpedShare = 0.0235;

constexpr double kEnvelopeBits = 8 * (64 + 24 + 8);
constexpr double kShardEntryBits = 8 * 40;

// A word a column, and one less in the blocks before the share's end.
double LayerBits(uint64_t blocks, const RibbonColumns& columns) {
  const double count = static_cast<double>(blocks);
  return (count * columns.most - std::floor((count - 1) * columns.fewer_share)) * kRibbonBlockRows;
}

double ThresholdBits(uint64_t blocks) {
  return std::ceil(static_cast<double>(blocks / 2) / 32) * 64;
}

}  // namespace

RibbonColumns ColumnsForChance(double chance) {
  chance = std::max(chance, kSmallestChance);
  if (chance >= 1) return {.most = 1, .fewer_share = std::nextafter(1.0, 0.0)};
  int exponent = 0;  // chance = fraction 2^exponent, the fraction at least one half and below one
  const double fraction = std::frexp(chance, &exponent);
  return {.most = 1 - exponent, .fewer_share = 2 * fraction - 1};
}

double RibbonRate(int most, double fewer_share) { return std::ldexp(1 + fewer_share, -most); }

uint64_t BumpedLayerBlocks(uint64_t keys) {
  const double blocks = static_cast<double>(keys) * kRowsPerKey / kRibbonBlockRows;
  return std::max<uint64_t>(2, static_cast<uint64_t>(std::lround(blocks)));
}

uint64_t PlainLayerBlocks(uint64_t keys, uint64_t attempt) {
  const double count = static_cast<double>(keys);
  const double rows = count * (1 + 0.005 * std::log2(count + 1)) + 5;
  const uint64_t blocks =
      std::max<uint64_t>(2, static_cast<uint64_t>(std::ceil(rows / kRibbonBlockRows)));
  return blocks + blocks * attempt / 16 + attempt / 4;
}

bool IsRibbonList(uint64_t keys, double chance) {
  constexpr uint64_t kMostKeys = 48;
  constexpr double kMostChance = 0.1;
  constexpr double kLeastRange = 64;  // so that a whole number is within 0.8 % of the chance
  if (keys == 0) return true;
  return keys <= kMostKeys && chance <= kMostChance &&
         static_cast<double>(keys) >= kLeastRange * chance;
}

uint64_t RibbonListRange(uint64_t fingerprints, double chance) {
  constexpr double kLargest = 0x1p62;
  const double range = static_cast<double>(fingerprints) / std::max(chance, kSmallestChance);
  return static_cast<uint64_t>(std::llround(std::clamp(range, 1.0, kLargest)));
}

uint64_t RibbonListWidth(uint64_t range) {
  return std::max<uint64_t>(1, (static_cast<uint64_t>(std::bit_width(range - 1)) + 7) / 8);
}

uint64_t RibbonShards(uint64_t keys) {
  return std::max<uint64_t>(1, keys / kRibbonShardKeys + (keys % kRibbonShardKeys != 0));
}

double RibbonBitsPerKey(uint64_t keys, double chance) {
  const RibbonColumns columns = ColumnsForChance(chance);
  if (IsRibbonList(keys, chance)) {
    const uint64_t width = RibbonListWidth(RibbonListRange(keys, chance));
    return static_cast<double>(8 * width) + kEnvelopeBits / static_cast<double>(keys);
  }
  const uint64_t shards = RibbonShards(keys);
  const uint64_t shard_keys = keys / shards;
  double bits = kShardEntryBits;
  if (shard_keys <= kMaxPlainKeys) {
    bits += LayerBits(PlainLayerBlocks(shard_keys, 0), columns);
  } else {
    const uint64_t blocks = BumpedLayerBlocks(shard_keys);
    const double sent_on = kBumpedShare * static_cast<double>(shard_keys);
    bits += ThresholdBits(blocks) + LayerBits(blocks, columns) +
            LayerBits(PlainLayerBlocks(static_cast<uint64_t>(sent_on), 0), columns);
  }
  return (bits * static_cast<double>(shards) + kEnvelopeBits) / static_cast<double>(keys);
}

}  // namespace siltstone
