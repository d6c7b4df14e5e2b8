#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "siltstone/db.h"

namespace siltstone::tools {

// Keys that are almost certainly absent and lie between keys that are there, so that filters are asked for
// them and their rates can be measured.

// A key between `smallest` and `largest`: what both begin with, then eight bytes that lie as far between
// theirs as `place` (uniform over all 64-bit numbers) says, then the bytes of `place` itself.
// Empty where there is no room between the two.
std::string KeyBetween(std::string_view smallest, std::string_view largest, uint64_t place);

// Looks up `count` such keys, the same number in each table's range; Cancelled on SIGINT.
// Cost: `count` point reads.
absl::Status LookUpAbsentKeys(DB& db, uint64_t count);

}  // namespace siltstone::tools
