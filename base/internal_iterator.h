#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace siltstone {

// A walk over internal keys in KeyOrder::CompareInternalKeys order, in both directions.
//
// Invariants:
//   I1. Valid() implies status().ok(). An error makes the iterator invalid and stays until the next seek.
//   I2. key() and value() are good until the iterator is moved or destroyed.
//   I3. Next past the last entry and Prev past the first make it invalid with an OK status.
//
// Thread safety: single-threaded.
class InternalIterator {
 public:
  virtual ~InternalIterator() = default;
  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // To the first entry at or after `internal_key`.
  virtual void Seek(std::string_view internal_key) = 0;
  // To the last entry at or before `internal_key`.
  virtual void SeekForPrev(std::string_view internal_key) = 0;
  // REQUIRES: Valid().
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual absl::Status status() const = 0;
};

}  // namespace siltstone
