#pragma once

#include <string_view>

#include "absl/status/status.h"

#include "engine/read/read_view.h"
#include "engine/read/table_probe.h"

namespace siltstone {

// The newest version of `key` at the snapshot: the walk of a Get through memtables, then runs, newest first,
// which ends at the first that gives a value or a tombstone.
//
//   EpochGuard guard;
//   LookupResult result;
//   absl::Status status = PointLookup(views.current(), key, {.order = order, .snapshot = sequence}, &result);
//
// REQUIRES: the caller holds an EpochGuard, and has held it since it took `view`.
//
// Thread safety: thread-safe.
// Cost: takes no lock, writes no memory that threads share, and allocates nothing for a value that fits into
// PinnedValue, unless a receipt is wanted. The key is hashed once. The filters of all tables that may hold the
// key are prefetched before the first is tested. At most one data block a run is read.
absl::Status PointLookup(const ReadView& view, std::string_view key, const LookupOptions& options,
                         LookupResult* result);

// Looks for a visible version in the memtables: whether one decides the read. Records as PointLookup does.
bool FindInMemtables(const ReadView& view, std::string_view key, const LookupOptions& options,
                     ReadCost* cost, LookupResult* result);

// Counts an answered key, if `options` want it.
void RecordGet(const LookupResult& result, const LookupOptions& options);

// False: `key` is certainly absent at `snapshot`. No I/O; counts nothing, as nobody learns what a "maybe" was
// worth. REQUIRES: as PointLookup.
bool ViewMayContain(const ReadView& view, std::string_view key, SequenceNumber snapshot);

}  // namespace siltstone
