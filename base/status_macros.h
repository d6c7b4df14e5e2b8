#pragma once

#include "absl/status/status.h"

// Returns from the function when `expr`, an absl::Status, is an error. Works in functions that
// return a Status or a StatusOr. A StatusOr is tested by hand:
//
//   auto file = file_system.OpenTable(path);
//   if (!file.ok()) return file.status();
#define SILTSTONE_RETURN_IF_ERROR(expr)                    \
  do {                                                     \
    absl::Status siltstone_status_ = (expr);               \
    if (!siltstone_status_.ok()) return siltstone_status_; \
  } while (false)
