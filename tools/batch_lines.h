#pragma once

#include "absl/status/status.h"

#include "siltstone/write_batch.h"

#include "tools/input.h"

namespace siltstone::tools {

// Adds to `batch` what the lines of `input` say:
//
//   put TAB key TAB value
//   del TAB key
//
// with the escapes of UnescapeField in keys and values; empty lines are skipped.
//
// Errors: DataLoss names the line that is neither; and those of Input.
absl::Status ReadBatchLines(Input& input, WriteBatch* batch);

}  // namespace siltstone::tools
