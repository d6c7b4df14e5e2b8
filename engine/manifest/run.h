#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/internal_key.h"
#include "engine/manifest/table.h"

namespace siltstone {

// A sorted run: tables in key order, no user key in the range of two of them. Level 0 is many runs of one table, a
// deeper level one run, so that reads know no special case.
//
//   const Table* table = run.Find("key");  // the only table of the run that may hold "key", or nullptr
//
// Invariant: the tables ascend, and their user-key ranges are disjoint (Version::CheckInvariants).
//
// Thread safety: immutable.
// Cost of Find: a binary search over a flat array of eight-byte prefixes of the largest keys, 8 KiB for a
// thousand tables; whole keys are compared only where a prefix is equal. No allocation, no I/O.
class Run {
 public:
  Run(KeyOrder order, std::vector<std::shared_ptr<Table>> tables);

  const Table* Find(std::string_view user_key) const;

  // Index of the first table whose largest user key is at or after `user_key`; size() when there is none.
  size_t LowerBound(std::string_view user_key) const;

  const std::vector<std::shared_ptr<Table>>& tables() const { return tables_; }
  size_t size() const { return tables_.size(); }
  uint64_t size_bytes() const { return size_bytes_; }
  // Distinct user keys, tombstones included.
  uint64_t key_count() const { return key_count_; }

 private:
  KeyOrder order_;
  std::vector<uint64_t> largest_prefixes_;
  std::vector<uint64_t> smallest_prefixes_;
  std::vector<std::shared_ptr<Table>> tables_;
  uint64_t size_bytes_ = 0;
  uint64_t key_count_ = 0;
};

}  // namespace siltstone
