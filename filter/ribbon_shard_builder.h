#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filter/ribbon_layout.h"
#include "filter/ribbon_math.h"
#include "filter/ribbon_solver.h"

// Makes one shard of a ribbon: decides which keys the bumped layer keeps, and solves both layers.
//
// Buckets are filled from the first to the last, each from its last start to its first: what reaches over from the
// bucket before takes the first rows, so the first starts are the ones to send on. They are sent on in steps (the
// four thresholds), for 2 bits a bucket. (Dillinger et al., SEA 2022, sections 3 and 4.)

namespace siltstone {

// What all shards of a table have in common. Immutable once filled in.
struct RibbonShardOptions {
  RibbonColumns columns;
  uint64_t shards = 1;
  uint64_t max_plain_keys = kMaxPlainKeys;
  uint64_t max_attempts =
      64;  // each with other positions and more rows: one in a thousand needs a third
};

// Thread-compatible. Memory: 16 bytes a key, kept from shard to shard.
class RibbonShardBuilder {
 public:
  explicit RibbonShardBuilder(const RibbonShardOptions& options) : options_(options) {}

  // Appends the shard's body to `payload` and fills in all of `entry` but the place. `keys` are those of the
  // shard (RibbonHash), in any order; sorted afterwards, each once. False when no attempt solved: then there is
  // no shard, and `payload` is as before.
  bool Append(std::vector<uint64_t>* keys, RibbonShardEntry* entry, std::string* payload);

 private:
  void AppendBumpedLayer(const std::vector<uint64_t>& keys, RibbonShardEntry* entry,
                         std::string* payload);
  void FillBuckets(const std::vector<uint64_t>& keys, uint64_t starts);
  bool AppendPlainLayer(std::vector<uint64_t>* keys, RibbonShardEntry* entry, std::string* payload);
  bool SolvePlain(const std::vector<uint64_t>& keys, uint64_t factor, uint64_t starts);

  const RibbonShardOptions options_;
  RibbonBand band_;
  std::vector<uint64_t> bumped_;  // keys sent on to the plain layer
  std::string thresholds_;        // 2 bits a bucket
};

}  // namespace siltstone
