#pragma once

#include <memory>

#include "siltstone/options.h"

#include "base/cpu_features.h"
#include "base/filter_policy.h"

// Where the kinds of filters meet their tags on disk; the only file of filter/ that the engine needs.
//
//   std::unique_ptr<FilterPolicy> policy = NewTableFilterPolicy({FilterKind::kBloom, 0.01});
//   std::unique_ptr<FilterBuilder> builder = policy->NewBuilder(salt);
//   builder->Add(HashKey("key", secret));
//   absl::StatusOr<std::unique_ptr<FilterReader>> reader = policy->OpenReader(builder->Finish());
//   (*reader)->MayContain(HashKey("key", secret));   // true

namespace siltstone {

struct FilterOptions {
  FilterKind kind = FilterKind::kBloom;
  double fp_chance = 0.01;  // 0 < p <= 1; 1: no filter, NewBuilder gives null
  // What readers may use; the answers do not depend on it. For tests and benchmarks of every path.
  CpuFeatures cpu = MachineCpu();
};

// Whether filters of this kind can be built by this version. The tag of a kind in a filter block is the number of its
// FilterKind.
bool IsFilterKindBuilt(FilterKind kind);

// Builds filters with these options, and reads those of every kind that can be built, whatever the options.
// REQUIRES: IsFilterKindBuilt(options.kind) and 0 < options.fp_chance <= 1 (both checked).
std::unique_ptr<FilterPolicy> NewTableFilterPolicy(const FilterOptions& options);

}  // namespace siltstone
