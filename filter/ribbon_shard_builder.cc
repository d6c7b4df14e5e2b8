#include "filter/ribbon_shard_builder.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/check.h"

namespace siltstone {

namespace {

// `share`, at least 0 and below 1, of all positions.
uint64_t ShareToSplit(double share) {
  constexpr double kLargest = 0x1.fffffffffffffp-1;
  return static_cast<uint64_t>(std::ldexp(std::clamp(share, 0.0, kLargest), 64));
}

// The split that gives a share of the starts which are kept, not of all, one column less.
uint64_t SplitOfKept(std::string_view thresholds, uint64_t starts, double fewer_share) {
  double left = fewer_share * RibbonKeptStarts(thresholds, static_cast<double>(starts));
  for (uint64_t first = 0; first < starts; first += kRibbonBucketStarts) {
    const double size = static_cast<double>(std::min(kRibbonBucketStarts, starts - first));
    const double sent_on =
        static_cast<double>(RibbonThresholdOf(thresholds.data(), first / kRibbonBucketStarts));
    const double kept = std::max(0.0, size - sent_on);
    if (left < kept) {
      return ShareToSplit((static_cast<double>(first) + sent_on + left) /
                          static_cast<double>(starts));
    }
    left -= kept;
  }
  return 0;
}

// One bucket's keys, in order of their starts, and a band to put them into.
struct Bucket {
  std::span<const uint64_t> keys;
  uint64_t first_start = 0, starts = 0, factor = 1;

  uint64_t StartInBucket(uint64_t key) const {
    return FastRange64(key * factor, starts) - first_start;
  }

  // Adds the keys before `end` whose start is `least` or more, last first; all or, where one finds no row, none.
  // Gives the end of those that are left, or more than the number of keys.
  size_t AddFrom(uint64_t least, size_t end, RibbonBand* band) const {
    band->Mark();
    for (; end > 0 && StartInBucket(keys[end - 1]) >= least; --end) {
      const uint64_t key = keys[end - 1];
      if (!band->Insert(first_start + StartInBucket(key), RibbonCoefficients(key), key)) {
        band->Rollback();
        return keys.size() + 1;
      }
    }
    return end;
  }

  // Adds as many as there are rows for; gives the code of the threshold below which keys are sent on.
  uint32_t Fill(RibbonBand* band) const {
    size_t end = keys.size();
    for (uint32_t code = 2;; --code) {
      end = AddFrom(kRibbonThresholds[code], end, band);
      if (end > keys.size()) return code + 1;
      if (code == 0) return 0;
    }
  }
};

}  // namespace

bool RibbonShardBuilder::Append(std::vector<uint64_t>* keys, RibbonShardEntry* entry,
                                std::string* payload) {
  const size_t size_before = payload->size();
  SortRibbonKeys(options_.shards, keys, band_.spare());
  bumped_.clear();
  if (keys->size() > options_.max_plain_keys) {
    AppendBumpedLayer(*keys, entry, payload);
  } else {
    bumped_ = *keys;
  }
  if (bumped_.empty() && entry->blocks[0] != 0) return true;
  if (AppendPlainLayer(&bumped_, entry, payload)) return true;
  payload->resize(size_before);
  return false;
}

void RibbonShardBuilder::AppendBumpedLayer(const std::vector<uint64_t>& keys,
                                           RibbonShardEntry* entry, std::string* payload) {
  const uint64_t blocks = BumpedLayerBlocks(keys.size());
  const uint64_t starts = RibbonStarts(blocks);
  thresholds_.assign(RibbonThresholdWords(blocks) * 8, '\0');
  band_.Reset(blocks);
  FillBuckets(keys, starts);
  const uint64_t split = SplitOfKept(thresholds_, starts, options_.columns.fewer_share);
  entry->blocks[0] = static_cast<uint32_t>(blocks);
  entry->splits[0] = split;
  payload->append(thresholds_);
  band_.AppendSolution(static_cast<uint64_t>(options_.columns.most),
                       RibbonSplitBlock(split, blocks), payload);
}

void RibbonShardBuilder::FillBuckets(const std::vector<uint64_t>& keys, uint64_t starts) {
  size_t begin = 0;
  for (uint64_t first = 0; first < starts; first += kRibbonBucketStarts) {
    size_t end = begin;
    while (end < keys.size() &&
           FastRange64(keys[end] * options_.shards, starts) < first + kRibbonBucketStarts) {
      ++end;
    }
    const Bucket bucket{.keys = std::span(keys).subspan(begin, end - begin),
                        .first_start = first,
                        .starts = starts,
                        .factor = options_.shards};
    const uint32_t code = bucket.Fill(&band_);
    const uint64_t index = first / kRibbonBucketStarts;
    thresholds_[index / 4] = static_cast<char>(thresholds_[index / 4] | code << index % 4 * 2);
    for (const uint64_t key : bucket.keys) {
      if (bucket.StartInBucket(key) >= kRibbonThresholds[code]) break;
      bumped_.push_back(key);
    }
    begin = end;
  }
  SILTSTONE_DCHECK(begin == keys.size());
}

bool RibbonShardBuilder::AppendPlainLayer(std::vector<uint64_t>* keys, RibbonShardEntry* entry,
                                          std::string* payload) {
  for (uint64_t attempt = 0; attempt < options_.max_attempts; ++attempt) {
    const uint64_t blocks = PlainLayerBlocks(keys->size(), attempt);
    const uint64_t factor = RibbonPlainFactor(attempt);
    SortRibbonKeys(factor, keys, band_.spare());
    band_.Reset(blocks);
    if (!SolvePlain(*keys, factor, RibbonStarts(blocks))) continue;
    entry->attempt = attempt;
    entry->blocks[1] = static_cast<uint32_t>(blocks);
    entry->splits[1] = ShareToSplit(options_.columns.fewer_share);
    band_.AppendSolution(static_cast<uint64_t>(options_.columns.most),
                         RibbonSplitBlock(entry->splits[1], blocks), payload);
    return true;
  }
  return false;
}

bool RibbonShardBuilder::SolvePlain(const std::vector<uint64_t>& keys, uint64_t factor,
                                    uint64_t starts) {
  return std::all_of(keys.begin(), keys.end(), [&](uint64_t key) {
    return band_.Insert(FastRange64(key * factor, starts), RibbonCoefficients(key), key);
  });
}

}  // namespace siltstone
