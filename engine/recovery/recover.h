#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/options.h"

#include "engine/manifest/current_file.h"
#include "engine/manifest/manifest_state.h"
#include "engine/manifest/secret_ring.h"
#include "engine/recovery/log_replay.h"

namespace siltstone {

// A database as it stands on disk, read and checked, tables not yet opened.
struct RecoveredDatabase {
  CurrentFile current;
  ManifestState state;
  SecretRing secrets;          // empty when they are lost
  absl::Status secrets_fault;  // why they are lost
  ReplayedLogs logs;
  uint64_t newest_epoch = 0;  // of the manifest and of every file name in the directory
  std::vector<DirectoryEntry> files;
  std::vector<std::string> losses;
};

// Whether the directory holds a database: a CURRENT file. DataLoss where there is none but there are tables or
// logs, which a database must have left; NotFound where the directory itself is missing.
absl::StatusOr<bool> DatabaseExists(FileSystem& file_system, const std::string& directory);

// The highest epoch in a file name; 0 where there is none.
uint64_t NewestEpoch(const std::vector<DirectoryEntry>& files);

// CURRENT → MANIFEST → comparator check → logs that it forgot → SECRETS → logs. Reads only: not a byte
// on disk is changed. InvalidArgument where the comparator's name is not the one on record.
// Single-threaded.
absl::StatusOr<RecoveredDatabase> ReadDatabase(FileSystem& file_system,
                                               const std::string& directory,
                                               const Options& options);

// The names of files that `state` and the manifest of `epoch` do not need: left by crashes or by earlier
// epochs. Only names of the engine's own making; the info logs of the newest two epochs stay.
std::vector<std::string> FindObsoleteFiles(const std::vector<DirectoryEntry>& files,
                                           const ManifestState& state, FileId manifest);

}  // namespace siltstone
