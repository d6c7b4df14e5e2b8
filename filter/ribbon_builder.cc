#include "filter/ribbon_builder.h"

#include <algorithm>
#include <utility>

#include "filter/bloom_math.h"
#include "filter/filter_block.h"

namespace siltstone {

namespace {

std::vector<uint64_t> FingerprintsBelow(uint64_t range, const std::vector<uint64_t>& sorted_keys) {
  std::vector<uint64_t> fingerprints;
  fingerprints.reserve(sorted_keys.size());
  for (const uint64_t key : sorted_keys) fingerprints.push_back(FastRange64(key, range));
  fingerprints.erase(std::unique(fingerprints.begin(), fingerprints.end()), fingerprints.end());
  return fingerprints;
}

void AppendFingerprint(uint64_t fingerprint, size_t width, std::string* payload) {
  for (size_t i = 0; i < width; ++i) payload->push_back(static_cast<char>(fingerprint >> i * 8));
}

std::vector<uint64_t> CopyOf(HashList* keys, size_t begin, size_t end) {
  std::vector<uint64_t> copy(end - begin);
  for (size_t i = begin; i < end; ++i) copy[i - begin] = (*keys)[i];
  return copy;
}

}  // namespace

std::vector<size_t> GroupByShard(uint64_t shards, HashList* keys) {
  std::vector<size_t> begins(shards + 1, 0);
  if (shards > 1) {
    for (size_t i = 0; i < keys->size(); ++i) ++begins[FastRange64((*keys)[i], shards) + 1];
    for (uint64_t shard = 0; shard < shards; ++shard) begins[shard + 1] += begins[shard];
  }
  begins[shards] = keys->size();
  // Each key that is out of place changes with the first of its shard that may be ("American flag sort").
  std::vector<size_t> next(begins.begin(), begins.end() - 1);
  for (uint64_t shard = 0; shards > 1 && shard < shards; ++shard) {
    while (next[shard] < begins[shard + 1]) {
      uint64_t& key = (*keys)[next[shard]];
      const uint64_t home = FastRange64(key, shards);
      const size_t place = next[home]++;
      if (home != shard) std::swap(key, (*keys)[place]);
    }
  }
  return begins;
}

std::string MakeRibbonList(std::vector<uint64_t> keys, double chance) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  // Fewer fingerprints than keys (some meet) want a smaller range, which makes some more meet: it settles at once.
  uint64_t range = RibbonListRange(keys.size(), chance);
  std::vector<uint64_t> fingerprints = FingerprintsBelow(range, keys);
  for (int i = 0; i < 3; ++i) {
    range = RibbonListRange(fingerprints.size(), chance);
    fingerprints = FingerprintsBelow(range, keys);
  }
  const uint64_t width = RibbonListWidth(range);
  std::string payload = StartRibbonPayload({.form = RibbonForm::kList,
                                            .width = static_cast<uint8_t>(width),
                                            .count = fingerprints.size(),
                                            .range = range});
  for (const uint64_t fingerprint : fingerprints) {
    AppendFingerprint(fingerprint, width, &payload);
  }
  return payload;
}

RibbonBuilder::RibbonBuilder(double fp_chance, uint64_t salt, uint64_t max_attempts)
    : fp_chance_(fp_chance), salt_(salt), max_attempts_(max_attempts) {}

std::string RibbonBuilder::Finish() {
  const uint64_t key_count = keys_.size();
  const double chance = std::max(fp_chance_, kSmallestChance);
  std::string payload;
  if (IsRibbonList(key_count, chance) || !BuildShards(&payload)) {
    payload = MakeRibbonList(CopyOf(&keys_, 0, key_count), chance);
  }
  keys_ = {};
  return MakeFilterBlock({.kind = FilterKind::kRibbon,
                          .salt = salt_,
                          .key_count = key_count,
                          .configured_fp_chance = fp_chance_,
                          .size = payload.size(),
                          .probes = 1},
                         payload);
}

bool RibbonBuilder::BuildShards(std::string* payload) {
  const RibbonShardOptions options{.columns = ColumnsForChance(fp_chance_),
                                   .shards = RibbonShards(keys_.size()),
                                   .max_attempts = max_attempts_};
  const auto most_columns = static_cast<uint64_t>(options.columns.most);
  *payload = StartRibbonPayload({.form = RibbonForm::kRibbon,
                                 .width = static_cast<uint8_t>(most_columns),
                                 .count = options.shards});
  const double bits =
      RibbonBitsPerKey(keys_.size(), fp_chance_) * static_cast<double>(keys_.size());
  payload->reserve(static_cast<size_t>(bits / 8 * 1.01));
  const std::vector<size_t> begins = GroupByShard(options.shards, &keys_);
  RibbonShardBuilder builder(options);
  uint64_t words = 0;
  for (uint64_t shard = 0; shard < options.shards; ++shard) {
    std::vector<uint64_t> keys = CopyOf(&keys_, begins[shard], begins[shard + 1]);
    RibbonShardEntry entry{.first_word = words};
    if (!builder.Append(&keys, &entry, payload)) return false;
    StoreRibbonShardEntry(entry, shard, payload);
    words += RibbonShardWords(entry, most_columns);
  }
  return true;
}

}  // namespace siltstone
