#pragma once

#include <cstddef>

namespace siltstone::fuzz {

// While one lives, a single allocation of more than `most_bytes` ends the process. One at a time, in one thread.
class AllocationLimit {
 public:
  explicit AllocationLimit(size_t most_bytes);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

}  // namespace siltstone::fuzz
