#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"

#include "siltstone/filter.h"

#include "filter/filter_file.h"

namespace siltstone {

// The exact set of a filter file. Payload: the keys as length-prefixed strings, in the order they
// were added, none twice.
absl::StatusOr<std::unique_ptr<Filter>> OpenExactSet(const FilterFile& file);

// What a set of `keys` keys takes at least: a slot each at the highest load, and the keys with
// their lengths.
uint64_t ExactSetBytes(uint64_t keys, double mean_key_bytes);

}  // namespace siltstone
