#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/manifest/table.h"
#include "engine/manifest/version_edit.h"

namespace siltstone {

// What a flush or compaction did: nothing is in force before its edit is installed.
struct JobResult {
  VersionEdit edit;
  std::vector<std::shared_ptr<Table>> tables;  // the new ones, open
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  uint64_t entries_dropped = 0;
};

}  // namespace siltstone
