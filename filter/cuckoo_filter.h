#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "siltstone/filter.h"

#include "filter/filter_file.h"

namespace siltstone {

// The cuckoo filter of a filter file. Payload: the slots, f bits each, four a bucket, lowest bit
// first, in whole words of 8 bytes. Parameters: buckets, f.
absl::StatusOr<std::unique_ptr<Filter>> OpenCuckooFilter(const FilterFile& file);

}  // namespace siltstone
