#include "filter/table_filter.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "filter/cache_line_bloom.h"
#include "filter/filter_block.h"
#include "filter/ribbon_builder.h"
#include "filter/ribbon_reader.h"
#include "filter/standard_bloom.h"

namespace siltstone {

namespace {

// Immutable and thread-safe.
class TableFilterPolicy final : public FilterPolicy {
 public:
  explicit TableFilterPolicy(const FilterOptions& options) : options_(options) {}

  std::unique_ptr<FilterBuilder> NewBuilder(uint64_t salt) const override {
    if (options_.fp_chance >= 1) return nullptr;
    if (options_.kind == FilterKind::kStandardBloom) {
      return std::make_unique<StandardBloomBuilder>(options_.fp_chance, salt);
    }
    if (options_.kind == FilterKind::kRibbon) {
      return std::make_unique<RibbonBuilder>(options_.fp_chance, salt);
    }
    return std::make_unique<CacheLineBloomBuilder>(options_.fp_chance, salt);
  }

  absl::StatusOr<std::unique_ptr<FilterReader>> OpenReader(std::string bytes) const override {
    const absl::StatusOr<FilterBlockHeader> header = ParseFilterBlock(bytes);
    if (!header.ok()) return header.status();
    if (header->kind == FilterKind::kStandardBloom) {
      return std::make_unique<StandardBloomReader>(*header, std::move(bytes));
    }
    if (header->kind == FilterKind::kRibbon) {
      return NewRibbonReader(*header, std::move(bytes), options_.cpu);
    }
    SILTSTONE_NEVER(header->kind != FilterKind::kBloom, "a filter kind was parsed but is not read");
    return OpenCacheLineBloom(*header, bytes, options_.cpu);
  }

 private:
  const FilterOptions options_;
};

}  // namespace

std::string_view FilterKindName(FilterKind kind) {
  switch (kind) {
    case FilterKind::kStandardBloom:
      return "standard-bloom";
    case FilterKind::kBloom:
      return "bloom";
    case FilterKind::kRibbon:
      return "ribbon";
    case FilterKind::kAuto:
      return "auto";
  }
  return "unknown";
}

bool IsFilterKindBuilt(FilterKind kind) {
  return kind == FilterKind::kStandardBloom || kind == FilterKind::kBloom ||
         kind == FilterKind::kRibbon;
}

std::unique_ptr<FilterPolicy> NewTableFilterPolicy(const FilterOptions& options) {
  SILTSTONE_CHECK(IsFilterKindBuilt(options.kind));
  SILTSTONE_CHECK(options.fp_chance > 0 && options.fp_chance <= 1);
  return std::make_unique<TableFilterPolicy>(options);
}

}  // namespace siltstone
