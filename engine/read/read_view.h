#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/manifest/version.h"
#include "memtable/memtable.h"

namespace siltstone {

// All that a read looks into: one state of the memtables and the tables. It does not change after it was
// published (the active memtable grows, but what lies in it above the reader's sequence number is not seen).
//
// A point read uses the newest view by its address inside an EpochGuard and counts nothing; an iterator, which
// lives longer, takes one reference.
//
// Invariants:
//   I1. The versions of one key get older from `active` over `immutables` to the runs of `version`, and
//       through those: the first source that holds a visible version of a key holds the newest one.
//
// Thread safety: immutable once published, but for the count, which is thread-safe.
struct ReadView {
  ReadView() = default;
  ReadView(std::shared_ptr<MemTable> active_memtable,
           std::vector<std::shared_ptr<MemTable>> immutable_memtables,
           std::shared_ptr<const Version> tables)
      : active(std::move(active_memtable)),
        immutables(std::move(immutable_memtables)),
        version(std::move(tables)) {}
  ReadView(const ReadView&) = delete;
  ReadView& operator=(const ReadView&) = delete;

  std::shared_ptr<MemTable> active;
  std::vector<std::shared_ptr<MemTable>> immutables;  // newest first
  std::shared_ptr<const Version> version;

  // A new view has one reference, its maker's. The last Unref deletes it, on whatever thread that happens.
  void Ref() const { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    const uint32_t before = references_.fetch_sub(1, std::memory_order_acq_rel);
    SILTSTONE_DCHECK(before != 0);
    if (before == 1) delete this;
  }

 private:
  mutable std::atomic<uint32_t> references_{1};
};

}  // namespace siltstone
