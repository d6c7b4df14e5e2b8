#pragma once

#include <cstddef>

#include "absl/status/status.h"

#include "siltstone/options.h"

// What an Options value must satisfy before anything on disk is looked at. Pure functions.

namespace siltstone {

inline constexpr size_t kMinMemoryBudgetBytes = size_t{64} << 10;
inline constexpr size_t kMinWriteBufferBytes = size_t{4} << 10;
inline constexpr size_t kMaxWriteBufferBytes = size_t{4} << 30;
inline constexpr size_t kMinBlockSizeBytes = 64;
inline constexpr size_t kMaxBlockSizeBytes = size_t{16} << 20;
inline constexpr int kMaxBackgroundJobs = 64;

// OK, or one InvalidArgument that names every faulty option with its value and its legal range.
absl::Status CheckOptions(const Options& options);

}  // namespace siltstone
