#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "siltstone/filter.h"

#include "filter/filter_file.h"

namespace siltstone {

// The standard Bloom filter of a filter file. Payload: the m bits in whole words of 8 bytes.
// Parameters: m, k.
absl::StatusOr<std::unique_ptr<Filter>> OpenBloomFilter(const FilterFile& file);

}  // namespace siltstone
