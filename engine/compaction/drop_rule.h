#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal_key.h"

namespace siltstone {

// Which entries a flush or compaction leaves out.
//
// The snapshots cut the sequence numbers into stripes: all readers of one stripe see the same version of a key, the
// newest in it. So of each key one version a stripe is kept. A tombstone of the lowest stripe is left out too when
// nothing older of its key lies beneath the output: nobody can tell it from nothing.
//
// REQUIRES: every entry was readable when the snapshots were listed, so that no later snapshot can see less than
// the newest of them. (Immutable memtables and tables hold nothing else.)
//
// Fed all entries of the job in internal-key order. Pure but for the key it remembers; single-threaded.
class DropRule {
 public:
  // `snapshots`: sequence numbers that readers may still use, ascending; readers of newer states are implied.
  // `nothing_beneath(user_key)`: whether no table below or beside the job's output may hold an older version.
  DropRule(KeyOrder order, std::vector<SequenceNumber> snapshots,
           std::function<bool(std::string_view user_key)> nothing_beneath);

  // REQUIRES: `internal_key` sorts behind every key given before.
  bool ShouldDrop(std::string_view internal_key);

 private:
  // How many snapshots are older than the number, that is, cannot see it.
  size_t StripeOf(SequenceNumber sequence) const;

  const KeyOrder order_;
  const std::vector<SequenceNumber> snapshots_;
  const std::function<bool(std::string_view)> nothing_beneath_;
  bool has_key_ = false;
  std::string user_key_;
  size_t stripe_ = 0;  // of the last entry of user_key_
};

}  // namespace siltstone
