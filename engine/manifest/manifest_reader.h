#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

#include "base/internal_key.h"
#include "engine/manifest/current_file.h"
#include "engine/manifest/manifest_state.h"

namespace siltstone {

struct ManifestReadOptions {
  KeyOrder order{BytewiseComparator()};
  // Stop at damage instead of failing, and say what was lost.
  bool salvage = false;
  // Somebody may be writing the manifest: it may go away (NotFound: read CURRENT again), or end in an edit that is
  // not whole yet.
  bool live = false;
};

// The state that the manifest named by `current` folds to. An edit that a crash cut short was never in force and
// is passed over.
//
//   DataLoss         damage, or an edit that does not fit the state before it: names file and offset
//   InvalidArgument  the comparator's name is not the one on record: names both
//
// With `salvage`, the state before the first damage, and a line in `*lost` (may be null) for each thing given up.
// Without a first edit there is nothing to salvage: DataLoss. Writes nothing. Cost: one pass over the file.
absl::StatusOr<ManifestState> ReadManifest(FileSystem& file_system, std::string_view directory,
                                           const CurrentFile& current,
                                           const ManifestReadOptions& options,
                                           std::vector<std::string>* lost);

}  // namespace siltstone
