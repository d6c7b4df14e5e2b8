#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"

#include "engine/db_shared.h"
#include "engine/wal/log_writer.h"

namespace siltstone {

// A log that came to its end.
struct LogLocation {
  uint64_t epoch = 0;
  uint64_t number = 0;  // 0: there is none
  uint64_t size_bytes = 0;
};

// A new, empty, durable log of the database's epoch under a new number, whose header seals `predecessor`. It is
// in use only when the manifest names it.
// Cost: two syncs, of the file and of the directory.
absl::StatusOr<std::unique_ptr<LogWriter>> CreateWal(const DbShared& shared,
                                                     const LogLocation& predecessor);

}  // namespace siltstone
