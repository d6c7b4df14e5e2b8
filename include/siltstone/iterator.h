#pragma once

#include <string_view>

#include "absl/status/status.h"

#include "siltstone/export.h"

namespace siltstone {

// A walk over the keys of one consistent state of the database, in both directions.
//
//   auto it = db->NewIterator({.prefix = "user:"});
//   for (it->SeekToFirst(); it->Valid(); it->Next()) Use(it->key(), it->value());
//   if (!it->status().ok()) return it->status();   // an error is never "the end of the data"
//
// Invariants:
//   I1. Every method always sees the state of the moment the iterator was made, or of its snapshot.
//   I2. Valid() implies status().ok(). After an error the iterator is invalid and status() says why, until
//       the next Seek; a mere end leaves status() OK.
//   I3. All positions respect the bounds and the prefix of the ReadOptions.
//
// It keeps the tables and memtables it reads alive: destroy it when it is no longer needed. It may
// outlive the DB object.
//
// Thread safety: single-threaded; different iterators are independent.
//
// Cost: a seek searches every run, O(runs · log n); Next and Prev are O(log runs), a change of direction
// costs a seek.
class SILTSTONE_EXPORT Iterator {
 public:
  virtual ~Iterator() = default;

  // At a key: key() and value() may be called.
  virtual bool Valid() const = 0;

  // To the first or last key within the bounds.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // To the first key at or after `target`.
  virtual void Seek(std::string_view target) = 0;
  // To the last key at or before `target`.
  virtual void SeekForPrev(std::string_view target) = 0;

  // REQUIRES: Valid(). (Otherwise nothing happens.)
  virtual void Next() = 0;
  virtual void Prev() = 0;

  // REQUIRES: Valid(). The views are good until the iterator is moved or destroyed.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;

  // The first error met since the last Seek: DataLoss names file and offset.
  virtual absl::Status status() const = 0;
};

}  // namespace siltstone
