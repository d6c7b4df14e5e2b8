#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

#include "base/internal_key.h"
#include "engine/manifest/version.h"
#include "engine/manifest/version_edit.h"

namespace siltstone {

// The version that follows from `base` by `edit`: levels that the edit does not touch are taken over, and so are
// the Table objects of tables that stay or move. `tables` holds an open Table for every table the edit adds that
// `base` does not hold; others in it do no harm. With an empty base and the snapshot of a
// state: the version of that state.
//
// Internal where `tables` lacks one, or where the edit removes what is not there. The result may break the
// invariants of a Version where the edit does: see Version::CheckInvariants.
//
// Thread-safe; pure but that it notes the new level in each added Table. Cost: O(tables of `base`).
absl::StatusOr<std::shared_ptr<const Version>> BuildVersion(
    KeyOrder order, const Version& base, const VersionEdit& edit,
    std::span<const std::shared_ptr<Table>> tables);

// The tables of `base` that `edit` removes and does not add again: garbage once the edit is durable and no
// older version is in use.
std::vector<std::shared_ptr<Table>> TablesLeaving(const Version& base, const VersionEdit& edit);

}  // namespace siltstone
