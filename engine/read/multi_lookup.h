#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"

#include "siltstone/pinned_value.h"

#include "engine/read/read_view.h"
#include "engine/read/table_probe.h"

namespace siltstone {

// As DB::GetResult.
using ValueOrAbsent = absl::StatusOr<std::optional<PinnedValue>>;

// out[i] = what PointLookup(keys[i]) finds, all in one view at one sequence number; each key has its own
// status. The keys may be in any order and occur more than once.
//
// The keys are looked up side by side, run by run, in key order: the filters a run's tables ask are prefetched
// together and then tested, and blocks are read in the order of the file, each once while it is cached.
//
// REQUIRES: keys.size() == out.size(); the caller holds an EpochGuard, and has held it since it took `view`.
// Thread safety: thread-safe.
// Cost: O(n log n) comparisons to sort, one array of 64 bytes a key; else that of the Gets, or less.
void MultiLookup(const ReadView& view, std::span<const std::string_view> keys,
                 const LookupOptions& options, std::span<ValueOrAbsent> out);

}  // namespace siltstone
