#pragma once

#include <cstdint>
#include <memory>

#include "siltstone/export.h"

namespace siltstone {

// Shared between a Snapshot and the engine that made it; opaque to users.
class SnapshotState;

// A handle on one state of a database. Reads given the handle all see that state, whatever is written
// meanwhile; versions of keys it can see are not dropped before it is destroyed, so drop it in time.
//
//   siltstone::Snapshot snapshot = db->GetSnapshot();
//   auto value = db->Get("key", {.snapshot = &snapshot});
//
// It may outlive the DB object. A moved-from handle reads like no snapshot of this database
// (InvalidArgument).
//
// Thread safety: thread-compatible; reads through one handle may run on many threads at once.
class SILTSTONE_EXPORT Snapshot {
 public:
  Snapshot() = default;
  explicit Snapshot(std::shared_ptr<const SnapshotState> state) : state_(std::move(state)) {}
  Snapshot(Snapshot&&) = default;
  Snapshot& operator=(Snapshot&&) = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // The number of the last write this snapshot sees; 0 for an empty handle.
  uint64_t sequence_number() const;

  // For the engine.
  const std::shared_ptr<const SnapshotState>& state() const { return state_; }

 private:
  std::shared_ptr<const SnapshotState> state_;
};

}  // namespace siltstone
