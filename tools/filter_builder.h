#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/filter.h"

namespace siltstone::tools {

// Makes a filter of any kind from keys that come one by one, each counted once however often it
// comes.
//
//   auto builder = FilterBuilder::Begin(Filter::Kind::kStandardBloom, {.fp_chance = 0.01});
//   absl::Status s = builder->Add(key);                           // many times
//   auto filter = builder->Finish();
//
// design.capacity 0: sized for the number of distinct keys. The static kinds always are. The keys
// themselves are never kept, but by an exact set.
//
// Thread safety: single-threaded. Cost: 8 bytes a key until Finish, besides the filter; none for a
// standard or scalable Bloom filter of given capacity, nor for an exact set.
class FilterBuilder {
 public:
  // Errors: those of the class's Create.
  static absl::StatusOr<FilterBuilder> Begin(Filter::Kind kind, const FilterDesign& design);

  absl::Status Add(std::string_view key);

  // ResourceExhausted when the keys do not fit the given capacity of a cuckoo filter. The builder
  // is of no use afterwards.
  absl::StatusOr<std::unique_ptr<Filter>> Finish();

 private:
  FilterBuilder(Filter::Kind kind, const FilterDesign& design) : kind_(kind), design_(design) {}

  Filter::Kind kind_;
  FilterDesign design_;
  std::unique_ptr<Filter> filter_;  // null: the hashes are gathered first
  std::vector<uint64_t> hashes_;
};

}  // namespace siltstone::tools
