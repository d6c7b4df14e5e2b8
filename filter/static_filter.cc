#include "filter/static_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"
#include "filter/cache_line_bloom.h"
#include "filter/filter_block.h"
#include "filter/filter_plan.h"
#include "filter/ribbon_reader.h"
#include "filter/table_filter.h"

namespace siltstone {

namespace {

// The hash is seeded already.
constexpr uint64_t kSalt = 0;

FilterKind TableKind(Filter::Kind kind) {
  return kind == Filter::Kind::kRibbon ? FilterKind::kRibbon : FilterKind::kBloom;
}

// The share of the bits that is set; a ribbon uses all of its rows, whatever it holds.
double FillRatioOf(const FilterBlockHeader& header, std::string_view block) {
  if (header.kind != FilterKind::kBloom) return 1;
  const std::string_view lines = FilterPayload(block);
  int64_t set = 0;
  for (size_t i = 0; i < lines.size(); i += 8) set += std::popcount(LoadFixed64(&lines[i]));
  return static_cast<double>(set) / (8 * static_cast<double>(lines.size()));
}

std::string ParametersOf(const FilterBlockHeader& header, std::string_view block) {
  if (header.kind != FilterKind::kBloom) return absl::StrCat("block_bytes=", block.size());
  return absl::StrCat("lines=", header.size, " k=", header.probes);
}

// Immutable and thread-safe.
class BlockFilter final : public StaticFilter {
 public:
  // REQUIRES: ParseFilterBlock accepted the block, as `header`, and `reader` was opened on it.
  BlockFilter(Kind kind, const FilterDesign& design, const FilterBlockHeader& header,
              std::string_view block, std::unique_ptr<FilterReader> reader)
      : StaticFilter(kind, design),
        fill_ratio_(FillRatioOf(header, block)),
        parameters_(ParametersOf(header, block)),
        reader_(std::move(reader)) {}

  bool MayContainHash(uint64_t hash) const override { return reader_->MayContain(hash); }
  void MayContainEach(std::span<const std::string_view> keys, std::span<bool> maybe) const override;

  uint64_t count() const override { return reader_->key_count(); }
  double fill_ratio() const override { return fill_ratio_; }
  double predicted_fp_rate() const override { return reader_->predicted_fp_rate(); }
  size_t memory_bytes() const override {
    return sizeof(*this) + parameters_.capacity() + reader_->memory_bytes();
  }
  std::string parameters() const override { return parameters_; }
  std::string Serialize() const override;

 private:
  const double fill_ratio_;
  const std::string parameters_;
  const std::unique_ptr<FilterReader> reader_;
};

void BlockFilter::MayContainEach(std::span<const std::string_view> keys,
                                 std::span<bool> maybe) const {
  constexpr size_t kBatch = 256;
  std::array<uint64_t, kBatch> hashes;
  const size_t count = std::min(keys.size(), maybe.size());
  for (size_t start = 0; start < count; start += kBatch) {
    const size_t batch = std::min(kBatch, count - start);
    for (size_t i = 0; i < batch; ++i) hashes[i] = HashFilterKey(keys[start + i], seed());
    reader_->MayContain(std::span<const uint64_t>(hashes.data(), batch),
                        maybe.subspan(start, batch));
  }
}

std::string BlockFilter::Serialize() const {
  const std::string block = kind() == Kind::kBloom
                                ? static_cast<const CacheLineBloomReader&>(*reader_).MakeBlock()
                                : static_cast<const RibbonBlockReader&>(*reader_).MakeBlock();
  std::string file = BeginFilterFile(
      {.kind = kind(), .design = design(), .count = count(), .parameters = {}}, block.size());
  file.append(block);
  FinishFilterFile(&file);
  return file;
}

uint64_t CapacityFor(uint64_t count) { return std::max<uint64_t>(1, count); }

// What file and block both tell must agree.
absl::Status CheckAgainstBlock(const FilterFileHeader& file, const FilterBlockHeader& block) {
  if (block.kind != TableKind(file.kind)) {
    return DamagedFilterFile("kind of its block", static_cast<uint64_t>(block.kind),
                             absl::StrCat(static_cast<int>(TableKind(file.kind))));
  }
  if (block.salt != kSalt) return DamagedFilterFile("salt of its block", block.salt, "0");
  if (file.count != block.key_count) {
    return DamagedFilterFile("count", file.count,
                             absl::StrCat(block.key_count, " as in its block"));
  }
  if (file.design.capacity != CapacityFor(file.count)) {
    return DamagedFilterFile("capacity", file.design.capacity,
                             absl::StrCat(CapacityFor(file.count), ", the count"));
  }
  if (file.design.fp_chance != block.configured_fp_chance) {
    return absl::DataLossError(absl::StrCat("filter file chance: observed ", file.design.fp_chance,
                                            ", expected ", block.configured_fp_chance,
                                            " as in its block"));
  }
  return absl::OkStatus();
}

// `file_header`: of the file that the block came with; null when it was just built.
absl::StatusOr<std::unique_ptr<StaticFilter>> Open(Filter::Kind kind, const FilterDesign& design,
                                                   const FilterFileHeader* file_header,
                                                   std::string block) {
  const absl::StatusOr<FilterBlockHeader> header = ParseFilterBlock(block);
  if (!header.ok()) return InFilterFile(header.status());
  if (file_header != nullptr) {
    SILTSTONE_RETURN_IF_ERROR(CheckAgainstBlock(*file_header, *header));
  }
  absl::StatusOr<std::unique_ptr<FilterReader>> reader =
      NewTableFilterPolicy({})->OpenReader(block);
  if (!reader.ok()) return InFilterFile(reader.status());
  return std::make_unique<BlockFilter>(kind, design, *header, std::move(block), *std::move(reader));
}

absl::Status CheckKind(Filter::Kind kind) {
  if (kind != Filter::Kind::kBloom && kind != Filter::Kind::kRibbon) {
    return absl::InvalidArgumentError(
        absl::StrCat("kind of a static filter = ", ToAbsl(FilterKindName(kind)),
                     ": legal are bloom and ribbon"));
  }
  if (IsFilterKindBuilt(TableKind(kind))) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("filters of kind ", ToAbsl(FilterKindName(kind)),
                                               " cannot be built by this version"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StaticFilter>> StaticFilter::BuildFromHashes(
    Kind kind, std::vector<uint64_t> hashes, const FilterDesign& design) {
  SILTSTONE_RETURN_IF_ERROR(CheckKind(kind));
  SILTSTONE_RETURN_IF_ERROR(CheckFilterChance(design.fp_chance));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  const std::unique_ptr<FilterPolicy> policy =
      NewTableFilterPolicy({TableKind(kind), design.fp_chance});
  const std::unique_ptr<FilterBuilder> builder = policy->NewBuilder(kSalt);
  for (const uint64_t hash : hashes) builder->Add(hash);
  FilterDesign built = design;
  built.capacity = CapacityFor(hashes.size());
  hashes = {};
  return Open(kind, built, /*file_header=*/nullptr, builder->Finish());
}

absl::StatusOr<std::unique_ptr<Filter>> OpenStaticFilter(const FilterFile& file) {
  const FilterFileHeader& header = file.header;
  SILTSTONE_RETURN_IF_ERROR(CheckUnusedParameters(header, 0));
  return Open(header.kind, header.design, &header, std::string(file.payload));
}

}  // namespace siltstone
