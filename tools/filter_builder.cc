#include "tools/filter_builder.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace siltstone::tools {
namespace {

using FilterOr = absl::StatusOr<std::unique_ptr<Filter>>;

template <typename Class>
FilterOr Widen(absl::StatusOr<std::unique_ptr<Class>> filter) {
  if (!filter.ok()) return filter.status();
  return std::unique_ptr<Filter>(*std::move(filter));
}

// An empty filter of a kind to which keys can be added.
FilterOr MakeEmpty(Filter::Kind kind, const FilterDesign& design) {
  switch (kind) {
    case Filter::Kind::kStandardBloom:
      return Widen(BloomFilter::Create(design));
    case Filter::Kind::kCountingBloom:
      return Widen(CountingBloomFilter::Create(design));
    case Filter::Kind::kCuckoo:
      return Widen(CuckooFilter::Create(design));
    case Filter::Kind::kScalableBloom:
      return Widen(
          ScalableBloomFilter::Reserve(design.fp_chance, design.capacity, {.seed = design.seed}));
    case Filter::Kind::kExact:
      return std::unique_ptr<Filter>(ExactSet::Create(design.seed));
    case Filter::Kind::kBloom:
    case Filter::Kind::kRibbon:
      break;
  }
  return absl::InternalError("keys cannot be added to a static filter");
}

// REQUIRES: MakeEmpty made the filter, and it is no exact set.
absl::Status AddHash(Filter& filter, uint64_t hash) {
  switch (filter.kind()) {
    case Filter::Kind::kStandardBloom:
      static_cast<BloomFilter&>(filter).AddHash(hash);
      return absl::OkStatus();
    case Filter::Kind::kCountingBloom:
      static_cast<CountingBloomFilter&>(filter).AddHash(hash);
      return absl::OkStatus();
    case Filter::Kind::kCuckoo:
      return static_cast<CuckooFilter&>(filter).AddHash(hash);
    case Filter::Kind::kScalableBloom:
      return static_cast<ScalableBloomFilter&>(filter).AddHash(hash).status();
    default:
      return absl::InternalError("hashes cannot be added to this filter");
  }
}

// Kinds to which adding a key again changes nothing, so that hashes need not be gathered to find
// those which come twice.
bool IgnoresRepeats(Filter::Kind kind) {
  return kind == Filter::Kind::kStandardBloom || kind == Filter::Kind::kScalableBloom;
}

bool IsStatic(Filter::Kind kind) {
  return kind == Filter::Kind::kBloom || kind == Filter::Kind::kRibbon;
}

}  // namespace

absl::StatusOr<FilterBuilder> FilterBuilder::Begin(Filter::Kind kind, const FilterDesign& design) {
  FilterBuilder builder(kind, design);
  const bool is_exact = kind == Filter::Kind::kExact;
  if (!is_exact) {
    // The faults that a plan has, before all keys are read for nothing.
    SILTSTONE_RETURN_IF_ERROR(
        PlanFilter(kind, design.capacity == 0 ? 1 : design.capacity, design.fp_chance).status());
  }
  if (is_exact || (design.capacity != 0 && IgnoresRepeats(kind))) {
    FilterOr filter = MakeEmpty(kind, design);
    if (!filter.ok()) return filter.status();
    builder.filter_ = *std::move(filter);
  }
  return builder;
}

absl::Status FilterBuilder::Add(std::string_view key) {
  if (kind_ == Filter::Kind::kExact) {
    static_cast<ExactSet&>(*filter_).Add(key);
    return absl::OkStatus();
  }
  const uint64_t hash = HashFilterKey(key, design_.seed);
  if (filter_ != nullptr) return AddHash(*filter_, hash);
  hashes_.push_back(hash);
  return absl::OkStatus();
}

FilterOr FilterBuilder::Finish() {
  if (filter_ != nullptr) return std::move(filter_);
  if (IsStatic(kind_)) {
    return Widen(StaticFilter::BuildFromHashes(kind_, std::move(hashes_), design_));
  }
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  FilterDesign design = design_;
  if (design.capacity == 0) design.capacity = std::max<uint64_t>(1, hashes_.size());
  FilterOr filter = MakeEmpty(kind_, design);
  if (!filter.ok()) return filter;
  for (const uint64_t hash : hashes_) SILTSTONE_RETURN_IF_ERROR(AddHash(**filter, hash));
  return filter;
}

}  // namespace siltstone::tools
