#pragma once

#include <cstdint>

#include "absl/status/status.h"

#include "siltstone/db.h"

#include "tools/record_reader.h"

namespace siltstone::tools {

// How far an import came.
struct ImportProgress {
  uint64_t records_read = 0;
  uint64_t records_written = 0;
  bool input_at_fault = false;  // an error comes from the reader, not from the database
};

// Writes all records of `reader` into `db`: in batches that are buffered, the last one with a sync, which
// covers them all. After an error the batches written before it stay; `progress` tells how many records
// that are.
//
// Errors: those of the reader and of DB::Write; Cancelled on SIGINT.
absl::Status ImportRecords(RecordReader& reader, DB& db, ImportProgress* progress);

// Reads `reader` to its end and writes nothing: the check before an import.
absl::Status CheckRecords(RecordReader& reader, ImportProgress* progress);

}  // namespace siltstone::tools
