#include "filter/static_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"
#include "filter/filter_block.h"
#include "filter/filter_plan.h"
#include "filter/table_filter.h"

namespace siltstone {

namespace {

// The hash is seeded already.
constexpr uint64_t kSalt = 0;

FilterKind TableKind(Filter::Kind kind) {
  return kind == Filter::Kind::kRibbon ? FilterKind::kRibbon : FilterKind::kBloom;
}

// Immutable and thread-safe.
class BlockFilter final : public StaticFilter {
 public:
  BlockFilter(Kind kind, const FilterDesign& design, std::string block,
              std::unique_ptr<FilterReader> reader)
      : StaticFilter(kind, design), block_(std::move(block)), reader_(std::move(reader)) {}

  bool MayContainHash(uint64_t hash) const override { return reader_->MayContain(hash); }

  uint64_t count() const override { return reader_->key_count(); }
  double fill_ratio() const override { return 1; }
  double predicted_fp_rate() const override { return reader_->predicted_fp_rate(); }
  size_t memory_bytes() const override {
    return sizeof(*this) + block_.capacity() + reader_->memory_bytes();
  }
  std::string parameters() const override {
    return absl::StrCat("block=", block_.size(), " bytes");
  }
  std::string Serialize() const override;

 private:
  const std::string block_;
  const std::unique_ptr<FilterReader> reader_;
};

std::string BlockFilter::Serialize() const {
  std::string file = BeginFilterFile(
      {.kind = kind(), .design = design(), .count = count(), .parameters = {}}, block_.size());
  file.append(block_);
  FinishFilterFile(&file);
  return file;
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
  built.capacity = std::max<uint64_t>(1, hashes.size());
  hashes = {};
  std::string block = builder->Finish();
  absl::StatusOr<std::unique_ptr<FilterReader>> reader = policy->OpenReader(block);
  if (!reader.ok()) return reader.status();
  return std::make_unique<BlockFilter>(kind, built, std::move(block), *std::move(reader));
}

absl::StatusOr<std::unique_ptr<Filter>> OpenStaticFilter(const FilterFile& file) {
  SILTSTONE_RETURN_IF_ERROR(CheckUnusedParameters(file.header, 0));
  const FilterFileHeader& header = file.header;
  absl::StatusOr<std::unique_ptr<FilterReader>> reader =
      NewTableFilterPolicy({})->OpenReader(std::string(file.payload));
  if (!reader.ok()) return InFilterFile(reader.status());
  if ((*reader)->kind_name() != FilterKindName(header.kind)) {
    return absl::DataLossError(absl::StrCat("filter file kind of the block: observed ",
                                            ToAbsl((*reader)->kind_name()), ", expected ",
                                            ToAbsl(FilterKindName(header.kind))));
  }
  if ((*reader)->key_count() != header.count) {
    return DamagedFilterFile("count", header.count,
                             absl::StrCat((*reader)->key_count(), " as in its block"));
  }
  return std::make_unique<BlockFilter>(header.kind, header.design, std::string(file.payload),
                                       *std::move(reader));
}

}  // namespace siltstone
