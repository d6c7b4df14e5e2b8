#include "filter/ribbon_layout.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {

namespace {

absl::Status Damaged(std::string_view what, uint64_t observed, std::string_view expected) {
  return absl::DataLossError(absl::StrCat("filter block ", ToAbsl(what), ": observed ", observed,
                                          ", expected ", ToAbsl(expected)));
}

// F12.
absl::Status CheckPrelude(std::string_view payload) {
  if (payload.size() < kRibbonPreludeBytes) {
    return Damaged("size of the ribbon", payload.size(), "at least 24 bytes");
  }
  const auto form = static_cast<uint8_t>(payload[0]);
  if (form != 1 && form != 2) return Damaged("form of the ribbon", form, "1 or 2");
  for (size_t i = 2; i < 8; ++i) {
    if (payload[i] != 0) return Damaged("reserved byte", static_cast<uint8_t>(payload[i]), "0");
  }
  return absl::OkStatus();
}

// F13.
absl::Status CheckList(const RibbonPrelude& prelude, std::string_view payload) {
  const size_t list_bytes = payload.size() - kRibbonPreludeBytes;
  if (prelude.width < 1 || prelude.width > 8) {
    return Damaged("bytes of a fingerprint", prelude.width, "1 to 8");
  }
  if (list_bytes % prelude.width != 0 || prelude.count != list_bytes / prelude.width) {
    return Damaged("number of fingerprints", prelude.count,
                   absl::StrCat("what ", list_bytes, " bytes hold"));
  }
  uint64_t least = 0;
  for (uint64_t i = 0; i < prelude.count; ++i) {
    const uint64_t fingerprint = LoadRibbonFingerprint(payload, prelude.width, i);
    if (fingerprint < least || fingerprint >= prelude.range) {
      return Damaged("fingerprint", fingerprint,
                     absl::StrCat("at least ", least, " and below ", prelude.range));
    }
    least = fingerprint + 1;
  }
  return absl::OkStatus();
}

// F15: after it RibbonShardWords does not overflow.
absl::Status CheckEntry(const RibbonShardEntry& entry) {
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t blocks = entry.blocks[i];
    if (blocks == 1 || blocks > kMaxRibbonBlocks) {
      return Damaged("number of blocks", blocks, "0 or 2 to 33554432");
    }
    if (blocks == 0 && entry.splits[i] != 0) {
      return Damaged("split of a layer without rows", entry.splits[i], "0");
    }
  }
  if (entry.blocks[0] == 0 && entry.blocks[1] == 0) {
    return Damaged("number of blocks of both layers", 0, "2 and more");
  }
  return absl::OkStatus();
}

// F16.
absl::Status CheckThresholds(std::string_view words, const RibbonShardEntry& entry) {
  const uint64_t buckets = RibbonBuckets(entry.blocks[0]);
  for (uint64_t i = 0; i < words.size() / 8; ++i) {
    const uint64_t word = LoadFixed64(words.data() + i * 8);
    const uint64_t used = std::min(buckets - i * kRibbonBucketsPerWord, kRibbonBucketsPerWord);
    if (used < kRibbonBucketsPerWord && word >> used * 2 != 0) {
      return Damaged("thresholds behind the last", word >> used * 2, "0");
    }
    if (entry.blocks[1] == 0 && word != 0) {
      return Damaged("thresholds without a plain layer", word, "0");
    }
  }
  return absl::OkStatus();
}

std::string_view ThresholdsOf(std::string_view payload, uint64_t shards,
                              const RibbonShardEntry& entry) {
  return payload.substr(RibbonBodyOffset(shards, entry), RibbonThresholdWords(entry.blocks[0]) * 8);
}

// F14 to F16. Compares by division: a size from outside must not overflow.
absl::Status CheckShards(const RibbonPrelude& prelude, std::string_view payload) {
  if (prelude.width < 1 || prelude.width > kMaxRibbonColumns) {
    return Damaged("number of columns", prelude.width, "1 to 40");
  }
  if (prelude.range != 0) return Damaged("range of a ribbon", prelude.range, "0");
  const size_t rest_bytes = payload.size() - kRibbonPreludeBytes;
  if (prelude.count < 1 || prelude.count > rest_bytes / kRibbonShardEntryBytes) {
    return Damaged("number of shards", prelude.count, "1 to what the bytes hold");
  }
  const size_t body_bytes = rest_bytes - prelude.count * kRibbonShardEntryBytes;
  uint64_t words = 0;
  for (uint64_t shard = 0; shard < prelude.count; ++shard) {
    const RibbonShardEntry entry = LoadRibbonShardEntry(payload, shard);
    SILTSTONE_RETURN_IF_ERROR(CheckEntry(entry));
    const uint64_t shard_words = RibbonShardWords(entry, prelude.width);
    if (entry.first_word != words || shard_words > body_bytes / 8 - words) {
      return Damaged("place of a shard", entry.first_word, "behind the one before, in the payload");
    }
    SILTSTONE_RETURN_IF_ERROR(CheckThresholds(ThresholdsOf(payload, prelude.count, entry), entry));
    words += shard_words;
  }
  if (body_bytes % 8 != 0 || words != body_bytes / 8) {
    return Damaged("words of all shards", words, absl::StrCat("what ", body_bytes, " bytes hold"));
  }
  return absl::OkStatus();
}

// The share of a layer's kept positions that have one column less.
double FewerShare(uint64_t split) { return std::ldexp(static_cast<double>(split), -64); }

double ShardRate(std::string_view payload, const RibbonPrelude& prelude, uint64_t shard) {
  const RibbonShardEntry entry = LoadRibbonShardEntry(payload, shard);
  const double plain_rate = RibbonRate(prelude.width, FewerShare(entry.splits[1]));
  if (entry.blocks[0] == 0) return plain_rate;
  const std::string_view thresholds = ThresholdsOf(payload, prelude.count, entry);
  const double starts = static_cast<double>(RibbonStarts(entry.blocks[0]));
  const double kept = RibbonKeptStarts(thresholds, starts);
  if (kept == 0) return plain_rate;
  const double fewer = RibbonKeptStarts(thresholds, starts * FewerShare(entry.splits[0]));
  const double kept_share = kept / starts;
  return kept_share * RibbonRate(prelude.width, fewer / kept) + (1 - kept_share) * plain_rate;
}

}  // namespace

std::string StartRibbonPayload(const RibbonPrelude& prelude) {
  std::string payload(8, '\0');
  payload[0] = static_cast<char>(prelude.form);
  payload[1] = static_cast<char>(prelude.width);
  AppendFixed64(&payload, prelude.count);
  AppendFixed64(&payload, prelude.range);
  if (prelude.form == RibbonForm::kRibbon) {
    payload.append(prelude.count * kRibbonShardEntryBytes, '\0');
  }
  return payload;
}

void StoreRibbonShardEntry(const RibbonShardEntry& entry, uint64_t shard, std::string* payload) {
  char* to = payload->data() + kRibbonPreludeBytes + shard * kRibbonShardEntryBytes;
  StoreFixed64(to, entry.first_word);
  StoreFixed64(to + 8, entry.splits[0]);
  StoreFixed64(to + 16, entry.splits[1]);
  StoreFixed32(to + 24, entry.blocks[0]);
  StoreFixed32(to + 28, entry.blocks[1]);
  StoreFixed64(to + 32, entry.attempt);
}

RibbonPrelude LoadRibbonPrelude(std::string_view payload) {
  return {.form = static_cast<RibbonForm>(payload[0]),
          .width = static_cast<uint8_t>(payload[1]),
          .count = LoadFixed64(payload.data() + 8),
          .range = LoadFixed64(payload.data() + 16)};
}

RibbonShardEntry LoadRibbonShardEntry(std::string_view payload, uint64_t shard) {
  const char* from = payload.data() + kRibbonPreludeBytes + shard * kRibbonShardEntryBytes;
  return {.first_word = LoadFixed64(from),
          .splits = {LoadFixed64(from + 8), LoadFixed64(from + 16)},
          .blocks = {LoadFixed32(from + 24), LoadFixed32(from + 28)},
          .attempt = LoadFixed64(from + 32)};
}

uint64_t LoadRibbonFingerprint(std::string_view payload, uint64_t width, uint64_t index) {
  const char* from = payload.data() + kRibbonPreludeBytes + index * width;
  uint64_t fingerprint = 0;
  for (uint64_t i = 0; i < width; ++i) {
    fingerprint |= uint64_t{static_cast<uint8_t>(from[i])} << i * 8;
  }
  return fingerprint;
}

absl::Status CheckRibbonPayload(std::string_view payload) {
  SILTSTONE_RETURN_IF_ERROR(CheckPrelude(payload));
  const RibbonPrelude prelude = LoadRibbonPrelude(payload);
  return prelude.form == RibbonForm::kList ? CheckList(prelude, payload)
                                           : CheckShards(prelude, payload);
}

double RibbonKeptStarts(std::string_view thresholds, double end) {
  constexpr double kStarts = kRibbonBucketStarts;
  double kept = 0;
  for (uint64_t bucket = 0; static_cast<double>(bucket) * kStarts < end; ++bucket) {
    const double here = std::min(end - static_cast<double>(bucket) * kStarts, kStarts);
    kept += std::max(0.0, here - static_cast<double>(RibbonThresholdOf(thresholds.data(), bucket)));
  }
  return kept;
}

double RibbonPayloadRate(std::string_view payload) {
  const RibbonPrelude prelude = LoadRibbonPrelude(payload);
  if (prelude.form == RibbonForm::kList) {
    return prelude.count == 0
               ? 0
               : static_cast<double>(prelude.count) / static_cast<double>(prelude.range);
  }
  double sum = 0;
  for (uint64_t shard = 0; shard < prelude.count; ++shard) {
    sum += ShardRate(payload, prelude, shard);
  }
  return sum / static_cast<double>(prelude.count);
}

}  // namespace siltstone
