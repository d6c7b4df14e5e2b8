#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "base/hash.h"
#include "filter/ribbon_math.h"

// How a ribbon stands in its bytes, and which of them answer for a key. Solving is ribbon_solver.h, asking
// ribbon_probe.h.
//
// A key's hash h, remixed with the salt, chooses one of the shards, and a position in it; the rest is the
// shard's own. A shard has two layers of rows: the *bumped* one, in whose buckets of 128 starts a threshold of 2 bits says how
// many of the first starts were sent on, and the *plain* one, for those. A table of few keys has the plain
// layer only.
//
// Format: FORMAT.md, "Filter block", F11 to F19.

namespace siltstone {

// What is fixed of the format. Never change.
inline constexpr size_t kRibbonPreludeBytes = 24;
inline constexpr size_t kRibbonShardEntryBytes = 40;
inline constexpr uint64_t kRibbonBucketStarts = 128;
inline constexpr uint64_t kRibbonBucketsPerWord = 32;
inline constexpr uint64_t kMaxRibbonBlocks = uint64_t{1} << 25;

// On disk: never renumber.
enum class RibbonForm : uint8_t {
  kList = 1,    // sorted fingerprints: few keys, or none
  kRibbon = 2,  // shards of rows
};

// The first bytes of the payload.
struct RibbonPrelude {
  RibbonForm form = RibbonForm::kList;
  uint8_t width = 1;   // kList: bytes of a fingerprint; kRibbon: the most columns
  uint64_t count = 0;  // fingerprints or shards
  uint64_t range = 0;  // kList: fingerprints are below it; kRibbon: 0
};

// A shard's entry in the directory, and with it the sizes of its parts.
struct RibbonShardEntry {
  // Of its body, counted in words of 8 bytes from the end of the directory.
  uint64_t first_word = 0;
  // Of the bumped layer and of the plain one.
  std::array<uint64_t, 2> splits = {};  // positions below it have one column less
  std::array<uint32_t, 2> blocks = {};  // 0, or 2 and more
  uint64_t attempt = 0;                 // which positions the plain layer has
};

// --- which bits answer for a key ---

inline uint64_t RibbonHash(uint64_t hash, uint64_t salt) { return Remix(hash ^ salt); }
// A key's equation: which of the 64 rows from its start on are summed. Always the first, so that none is empty.
inline uint64_t RibbonCoefficients(uint64_t h) {
  const uint64_t product = h * 0xbb67ae8584caa73b;
  return (product ^ product >> 32) | 1;
}
// The fingerprint is the low bits of h itself: its high bits give the place, a remix of all the equation.

// A layer's position of a key is h * factor (mod 2^64). For the bumped layer the factor is the number of
// shards: what the choice of the shard left over.
inline uint64_t RibbonPlainFactor(uint64_t attempt) { return Remix(attempt) | 1; }

inline uint64_t RibbonStarts(uint64_t blocks) {
  return blocks == 0 ? 0 : (blocks - 1) * kRibbonBlockRows;
}
inline uint64_t RibbonBuckets(uint64_t blocks) { return blocks / 2; }
inline uint64_t RibbonThresholdWords(uint64_t blocks) {
  return (RibbonBuckets(blocks) + kRibbonBucketsPerWord - 1) / kRibbonBucketsPerWord;
}

// How many of the first starts of a bucket are sent on, by its 2 bits: 0, 16, 40 or 128.
inline constexpr std::array<uint64_t, 4> kRibbonThresholds = {0, 16, 40, 128};
inline uint64_t RibbonThresholdOf(const char* thresholds, uint64_t bucket) {
  const auto four = static_cast<uint8_t>(thresholds[bucket / 4]);
  return uint32_t{0x80281000} >> (four >> bucket % 4 * 2 & 3) * 8 & 0xff;
}

// From this block on a block has a word for each of the most columns; before, one less.
inline uint64_t RibbonSplitBlock(uint64_t split, uint64_t blocks) {
  return FastRange64(split, RibbonStarts(blocks)) / kRibbonBlockRows;
}
inline uint64_t RibbonLayerWords(uint64_t split, uint64_t blocks, uint64_t most_columns) {
  return blocks * most_columns - RibbonSplitBlock(split, blocks);
}
// Words of a shard's body: thresholds, rows of the bumped layer, rows of the plain layer.
inline uint64_t RibbonShardWords(const RibbonShardEntry& entry, uint64_t most_columns) {
  return RibbonThresholdWords(entry.blocks[0]) +
         RibbonLayerWords(entry.splits[0], entry.blocks[0], most_columns) +
         RibbonLayerWords(entry.splits[1], entry.blocks[1], most_columns);
}

// --- bytes ---

// Prelude, room for the directory; the bodies follow.
std::string StartRibbonPayload(const RibbonPrelude& prelude);
void StoreRibbonShardEntry(const RibbonShardEntry& entry, uint64_t shard, std::string* payload);
// REQUIRES of these: CheckRibbonPayload accepted the payload, and the index is below the count.
RibbonPrelude LoadRibbonPrelude(std::string_view payload);
RibbonShardEntry LoadRibbonShardEntry(std::string_view payload, uint64_t shard);
uint64_t LoadRibbonFingerprint(std::string_view payload, uint64_t width, uint64_t index);

// Where a shard's body begins in the payload.
inline size_t RibbonBodyOffset(uint64_t shards, const RibbonShardEntry& entry) {
  return kRibbonPreludeBytes + shards * kRibbonShardEntryBytes + entry.first_word * 8;
}

// Whether every field is within its bounds and the parts fill the payload exactly, DataLoss otherwise: after it no
// probe can leave the payload. Reads only these bytes and allocates nothing (but the message of an error). Cost: one
// pass over the thresholds or the list.
absl::Status CheckRibbonPayload(std::string_view payload);

// --- rates ---

// The starts of a bumped layer before `end` that are not sent on. A position is as likely to be any. `thresholds`: the
// layer's threshold words.
double RibbonKeptStarts(std::string_view thresholds, double end);

// The chance of a "maybe" for an absent key: exact for this payload. REQUIRES: CheckRibbonPayload accepted it.
// Cost: one pass over the thresholds.
double RibbonPayloadRate(std::string_view payload);

}  // namespace siltstone
