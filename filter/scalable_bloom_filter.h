#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "siltstone/filter.h"

#include "filter/filter_file.h"

namespace siltstone {

// The scalable Bloom filter of a filter file. Payload: of each sub-filter m, k, its number of keys
// (8 bytes each) and its m bits in whole words of 8 bytes. Parameters: expansion, tightening (as a
// double), scaling, sub-filters.
absl::StatusOr<std::unique_ptr<Filter>> OpenScalableBloomFilter(const FilterFile& file);

}  // namespace siltstone
