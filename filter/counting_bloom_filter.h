#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "siltstone/filter.h"

#include "filter/filter_file.h"

namespace siltstone {

// The counting Bloom filter of a filter file. Payload: m counters of four bits, two a byte, the
// lower half first, in whole words of 8 bytes. Parameters: m, k.
absl::StatusOr<std::unique_ptr<Filter>> OpenCountingBloomFilter(const FilterFile& file);

}  // namespace siltstone
