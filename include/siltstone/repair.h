#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "siltstone/export.h"
#include "siltstone/options.h"

namespace siltstone {

// Something of a damaged database that cannot be read any more.
struct RepairLoss {
  struct KeyRange {
    std::string first;  // user keys, both included
    std::string last;
  };

  // Which file, and what is wrong with it: "what, in FILE at offset N size M".
  std::string what;
  // The keys that what is lost was about. Such a key may be missing from what is left, have an older value, or be there
  // though it was deleted. Nullopt: not known; any key may be concerned.
  std::optional<KeyRange> keys = {};
};

// What is left of a database.
struct RepairReport {
  // Whether a whole manifest says which tables and logs belong to the database. If not, all that lie in the directory
  // were read: keys that were deleted may come back from tables that a compaction had replaced.
  bool manifest_whole = false;
  uint64_t tables_read = 0;  // wholly or in part
  uint64_t logs_read = 0;    // with at least one record
  uint64_t entries = 0;      // keys with a value
  uint64_t key_and_value_bytes = 0;
  std::vector<RepairLoss> losses;  // empty: nothing is lost
  std::vector<std::string> notes;  // what else is worth knowing, one line each
};

// Reads all that a damaged database still holds and tells what is lost. Changes nothing on disk, takes no lock, and
// works on a directory that cannot be written to. Beside a writer it may tell of losses that are none, as files go.
//
//   Options options;
//   absl::StatusOr<RepairReport> report = ExamineDatabase(options, "/var/lib/app/db");
//   if (report.ok() && !report->losses.empty())
//     report = RepairDatabase(options, "/var/lib/app/db", "/var/lib/app/db-repaired");
//
// Of `options` the comparator and the file system count.
// Errors: NotFound where there is no directory or nothing of a database in it; InvalidArgument where the comparator
// is not the one on record; and those of the file system. Damage is no error.
// Thread-safe. Cost: one read of all tables and logs; memory for the entries of the logs.
SILTSTONE_EXPORT absl::StatusOr<RepairReport> ExamineDatabase(const Options& options,
                                                              std::string_view from);

// ExamineDatabase, and writes what is left as a new database in directory `to`, which is created, or empty. Of the
// damaged one nothing but its lock file is written to. The new one has filters, compression and block sizes as
// `options` say; it is a database only when it is complete, and was read back and checked once.
// Errors: also AlreadyExists where `to` holds files, and Aborted while a writer has `from` open.
SILTSTONE_EXPORT absl::StatusOr<RepairReport> RepairDatabase(const Options& options,
                                                             std::string_view from,
                                                             std::string_view to);

}  // namespace siltstone
