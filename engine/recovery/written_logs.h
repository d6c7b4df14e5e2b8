#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

#include "engine/manifest/current_file.h"
#include "engine/manifest/manifest_state.h"

// Tells a manifest that has lost its end, though what is left of it is whole (zeroes from a record's start on, an
// older copy): a log gets its first record only when the edit that begins it is durable, so a log behind the newest
// one that the manifest names must be empty.
//
// Format: FORMAT.md M13.

namespace siltstone {

// A log file that holds a record. A plain value.
struct WrittenLog {
  FileId id;
  TableId database_id;
};

// The written logs of the directory, ascending. Logs without a valid header or first record are passed over, also
// those that go away meanwhile. Errors: those of the file system. Cost: one read a log.
//
// To be called before the manifest is read: beside a writer, the manifest that is read then knows all of them.
absl::StatusOr<std::vector<WrittenLog>> FindWrittenLogs(FileSystem& file_system,
                                                        const std::string& directory);

// Those of `written` that `state` ought to know and does not.
std::vector<WrittenLog> FindForgottenLogs(const std::vector<WrittenLog>& written,
                                          const TableId& database_id, const ManifestState& state);

}  // namespace siltstone
