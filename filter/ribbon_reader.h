#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_features.h"
#include "base/filter_policy.h"
#include "filter/filter_block.h"
#include "filter/ribbon_probe.h"

namespace siltstone {

// What both forms have beside the interface of all readers.
class RibbonBlockReader : public FilterReader {
 public:
  // The bytes that it was opened on.
  virtual std::string MakeBlock() const = 0;
};

// The reader for the form that the payload has. REQUIRES: `header` is what ParseFilterBlock said of `block`, and the
// kind is kRibbon.
std::unique_ptr<RibbonBlockReader> NewRibbonReader(const FilterBlockHeader& header,
                                                   std::string block, const CpuFeatures& cpu);

// Shards of rows. Immutable and thread-safe. Copies the block to memory with room behind it.
class RibbonReader final : public RibbonBlockReader {
 public:
  RibbonReader(const FilterBlockHeader& header, std::string_view block, const CpuFeatures& cpu);

  bool MayContain(uint64_t hash) const override { return table_.test(table_, hash); }
  void MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const override;
  void Prefetch(uint64_t hash) const override;
  std::string_view kind_name() const override { return FilterKindName(FilterKind::kRibbon); }
  uint64_t key_count() const override { return key_count_; }
  double configured_fp_chance() const override { return configured_fp_chance_; }
  // Of this layout; exact, for a match has its chance in every table (ribbon_math.h).
  double predicted_fp_rate() const override { return predicted_fp_rate_; }
  size_t memory_bytes() const override;
  std::string MakeBlock() const override;

 private:
  // `body`: of the shard, in words.
  RibbonShard OpenShard(const RibbonShardEntry& entry, uint64_t body) const;

  const uint64_t key_count_;
  const double configured_fp_chance_;
  const double predicted_fp_rate_;
  const size_t block_bytes_;
  std::vector<uint64_t> memory_;  // the block, and room for the widest load
  std::vector<RibbonShard> shards_;
  RibbonTable table_;  // of both
};

// A sorted list of fingerprints. Immutable and thread-safe. Keeps the block it was opened on.
class RibbonListReader final : public RibbonBlockReader {
 public:
  RibbonListReader(const FilterBlockHeader& header, std::string block);

  bool MayContain(uint64_t hash) const override;
  void MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const override;
  void Prefetch(uint64_t hash) const override;
  std::string_view kind_name() const override { return FilterKindName(FilterKind::kRibbon); }
  uint64_t key_count() const override { return header_.key_count; }
  double configured_fp_chance() const override { return header_.configured_fp_chance; }
  // Fingerprints / range.
  double predicted_fp_rate() const override { return predicted_fp_rate_; }
  size_t memory_bytes() const override { return sizeof(*this) + block_.capacity(); }
  std::string MakeBlock() const override { return block_; }

 private:
  const FilterBlockHeader header_;
  const std::string block_;
  const RibbonPrelude prelude_;
  const double predicted_fp_rate_;
};

}  // namespace siltstone
