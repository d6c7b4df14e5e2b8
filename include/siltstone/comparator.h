#pragma once

#include <string_view>

#include "siltstone/export.h"

namespace siltstone {

// The total order of the keys of a database.
//
// Bring your own only when byte order is not the order you need: the bytewise comparator is compared
// inline, by cached eight-byte prefixes, and is the only one for which `ReadOptions::prefix` works.
//
// Invariants the engine relies on:
//   I1. Compare is a total order, the same in every process that ever opens the database.
//   I2. Compare(a, b) == 0 only when a and b are the same bytes.
// The name is recorded when a database is created; opening it with a comparator of another name is
// refused with InvalidArgument. Give a changed order a new name.
//
// Thread safety: every method is called from many threads at once. The object must outlive every
// database opened with it, and the iterators, snapshots and values taken from those.
class SILTSTONE_EXPORT Comparator {
 public:
  virtual ~Comparator() = default;

  // Negative when a sorts before b, zero when they are equal, positive when a sorts after b.
  virtual int Compare(std::string_view a, std::string_view b) const = 0;

  // A non-empty name of at most 255 bytes, recorded in the manifest and in every SSTable.
  virtual std::string_view name() const = 0;
};

// Unsigned byte order, as memcmp; a key sorts before every longer key that it begins.
// The result is a process-wide constant and is never freed.
SILTSTONE_EXPORT const Comparator* BytewiseComparator();

}  // namespace siltstone
