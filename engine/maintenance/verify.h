#pragma once

#include <string>

#include "absl/status/status.h"

#include "siltstone/file_system.h"

#include "engine/manifest/version.h"

namespace siltstone {

// Reads every byte of every table of the version and checks it (TableReader::VerifyChecksums): the
// first damage as DataLoss. Thread-safe; fills no cache. Cost: the size of the database in I/O.
absl::Status VerifyTables(const Version& version);

// Reads CURRENT, the manifest it names, and every log that manifest names, from the file system. A
// writer may be at work meanwhile: files that it deletes under way are looked for again under the
// newest manifest. `live`: the last log may end in a record that is being written.
absl::Status VerifyLogs(FileSystem& file_system, const std::string& directory, KeyOrder order,
                        bool live);

}  // namespace siltstone
