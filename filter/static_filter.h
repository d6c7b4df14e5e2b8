#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "siltstone/filter.h"

#include "filter/filter_file.h"

namespace siltstone {

// The static filter of a filter file. Payload: a filter block (filter/filter_block.h) with salt 0.
// No parameters.
absl::StatusOr<std::unique_ptr<Filter>> OpenStaticFilter(const FilterFile& file);

}  // namespace siltstone
