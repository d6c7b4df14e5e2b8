#include "filter/ribbon_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "filter/ribbon_layout.h"

namespace siltstone {

namespace {

// Where there is no bumped layer, its one threshold sends every key on.
constexpr char kSendAllOn[] = {3};

}  // namespace

std::unique_ptr<RibbonBlockReader> NewRibbonReader(const FilterBlockHeader& header,
                                                   std::string block, const CpuFeatures& cpu) {
  if (LoadRibbonPrelude(FilterPayload(block)).form == RibbonForm::kList) {
    // It stays for the life of a table: room to spare is not worth its memory.
    if (block.capacity() - block.size() > block.size() / 16) block.shrink_to_fit();
    return std::make_unique<RibbonListReader>(header, std::move(block));
  }
  return std::make_unique<RibbonReader>(header, block, cpu);
}

// --- shards of rows ---

RibbonReader::RibbonReader(const FilterBlockHeader& header, std::string_view block,
                           const CpuFeatures& cpu)
    : key_count_(header.key_count),
      configured_fp_chance_(header.configured_fp_chance),
      predicted_fp_rate_(RibbonPayloadRate(FilterPayload(block))),
      block_bytes_(block.size()),
      memory_((block.size() + kRibbonSlackBytes) / 8) {
  std::memcpy(memory_.data(), block.data(), block.size());
  const std::string_view payload = FilterPayload(block);
  const RibbonPrelude prelude = LoadRibbonPrelude(payload);
  table_.salt = header.salt;
  table_.shard_count = prelude.count;
  table_.most_columns = prelude.width;
  table_.mask = (uint64_t{1} << prelude.width) - 1;
  shards_.reserve(prelude.count);
  for (uint64_t shard = 0; shard < prelude.count; ++shard) {
    const RibbonShardEntry entry = LoadRibbonShardEntry(payload, shard);
    const size_t offset = kFilterHeaderBytes + RibbonBodyOffset(prelude.count, entry);
    shards_.push_back(OpenShard(entry, offset / 8));
  }
  table_.words = memory_.data();
  table_.shards = shards_.data();
  ChooseRibbonTest(cpu, &table_);
}

RibbonShard RibbonReader::OpenShard(const RibbonShardEntry& entry, uint64_t body) const {
  const uint64_t most_columns = table_.most_columns;
  RibbonShard shard;
  shard.thresholds =
      entry.blocks[0] == 0 ? kSendAllOn : reinterpret_cast<const char*>(memory_.data() + body);
  shard.plain_factor = RibbonPlainFactor(entry.attempt);
  uint64_t first_word = body + RibbonThresholdWords(entry.blocks[0]);
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t split_block = RibbonSplitBlock(entry.splits[i], entry.blocks[i]);
    (i == 0 ? shard.bumped : shard.plain) = {
        .base = first_word - split_block,
        .split = entry.splits[i],
        .starts = static_cast<uint32_t>(RibbonStarts(entry.blocks[i])),
        .split_block = static_cast<uint32_t>(split_block)};
    first_word += RibbonLayerWords(entry.splits[i], entry.blocks[i], most_columns);
  }
  return shard;
}

void RibbonReader::MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const {
  SILTSTONE_CHECK(hashes.size() == answers.size());
  // A group is found and its rows begin to load; then it is tested.
  constexpr size_t kGroup = 32;
  std::array<RibbonPlace, kGroup> places;
  for (size_t begin = 0; begin < hashes.size(); begin += kGroup) {
    const size_t count = std::min(kGroup, hashes.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      places[i] = PlaceOf(table_, hashes[begin + i]);
      PrefetchRows(places[i], table_.most_columns);
    }
    table_.test_places(table_, places.data(), count, answers.data() + begin);
  }
}

void RibbonReader::Prefetch(uint64_t hash) const {
  PrefetchRows(PlaceOf(table_, hash), table_.most_columns);
}

size_t RibbonReader::memory_bytes() const {
  return sizeof(*this) + memory_.capacity() * sizeof(uint64_t) +
         shards_.capacity() * sizeof(RibbonShard);
}

std::string RibbonReader::MakeBlock() const {
  return {reinterpret_cast<const char*>(memory_.data()), block_bytes_};
}

// --- list ---

RibbonListReader::RibbonListReader(const FilterBlockHeader& header, std::string block)
    : header_(header),
      block_(std::move(block)),
      prelude_(LoadRibbonPrelude(FilterPayload(block_))),
      predicted_fp_rate_(RibbonPayloadRate(FilterPayload(block_))) {}

bool RibbonListReader::MayContain(uint64_t hash) const {
  const uint64_t fingerprint = FastRange64(RibbonHash(hash, header_.salt), prelude_.range);
  const std::string_view payload = FilterPayload(block_);
  uint64_t first = 0;
  for (uint64_t count = prelude_.count; count > 1;) {
    const uint64_t half = count / 2;
    const bool upper = LoadRibbonFingerprint(payload, prelude_.width, first + half) <= fingerprint;
    first += upper ? half : 0;
    count -= half;
  }
  return prelude_.count > 0 && LoadRibbonFingerprint(payload, prelude_.width, first) == fingerprint;
}

void RibbonListReader::MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const {
  SILTSTONE_CHECK(hashes.size() == answers.size());
  for (size_t i = 0; i < hashes.size(); ++i) answers[i] = MayContain(hashes[i]);
}

void RibbonListReader::Prefetch(uint64_t hash) const {
  static_cast<void>(hash);
  __builtin_prefetch(FilterPayload(block_).data() + kRibbonPreludeBytes);
}

}  // namespace siltstone
