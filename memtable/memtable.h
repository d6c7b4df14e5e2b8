#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "memtable/arena.h"
#include "memtable/ordered_table.h"

// The newest writes, sorted in memory, until a flush makes an SSTable of them.
//
//   MemTable memtable(KeyOrder(BytewiseComparator()), /*id=*/1);
//   memtable.Add(7, ValueType::kValue, "key", "value");
//   MemTableLookup found = memtable.Get("key", /*snapshot=*/7);   // kFound, "value", sequence 7

namespace siltstone {

// What a memtable knows of one user key at one sequence number.
struct MemTableLookup {
  enum class State { kAbsent, kDeleted, kFound };
  State state = State::kAbsent;
  std::string_view value = {};  // kFound: in the arena, good as long as the memtable
  SequenceNumber sequence = 0;  // unless kAbsent: when it was written
};

// All versions of all keys written since the memtable before it was closed; tombstones are entries
// too.
//
// Invariants:
//   M1. Entries are added, never changed or removed: what was read once stays where it is.
//   M2. smallest_sequence() <= the sequence of every entry <= largest_sequence().
//
// Thread safety: Add by one thread at a time; everything else by any thread at any time without a
// lock, also during Add. Whether an entry added meanwhile is seen is decided by the caller's
// sequence number: publish a sequence number (with release order) after the Add. Cost: O(log n) an
// operation; Add allocates from the arena only.
class MemTable {
 public:
  // `id` is the caller's name for it: whatever tells this memtable from others.
  MemTable(KeyOrder order, uint64_t id);
  MemTable(const MemTable&) = delete;
  MemTable& operator=(const MemTable&) = delete;

  // Copies key and value. REQUIRES: no entry has this key and sequence; sequence <=
  // kMaxSequenceNumber.
  void Add(SequenceNumber sequence, ValueType type, std::string_view key, std::string_view value);

  // The newest version of the key that is not newer than `snapshot`.
  MemTableLookup Get(std::string_view user_key, SequenceNumber snapshot) const;

  // Over all entries. Must not outlive the memtable; its keys and values live as long as the
  // memtable.
  std::unique_ptr<InternalIterator> NewIterator() const;

  // Memory held: this object and its chunks.
  size_t memory_bytes() const { return sizeof(MemTable) + arena_.memory_bytes(); }
  // The part of it that entries take up: compare this with a write buffer size, since a chunk is
  // taken whole.
  size_t used_bytes() const { return arena_.used_bytes(); }
  uint64_t entry_count() const { return entry_count_.load(std::memory_order_relaxed); }
  bool empty() const { return entry_count() == 0; }
  uint64_t id() const { return id_; }
  // While empty: kMaxSequenceNumber and 0.
  SequenceNumber smallest_sequence() const {
    return smallest_sequence_.load(std::memory_order_relaxed);
  }
  SequenceNumber largest_sequence() const {
    return largest_sequence_.load(std::memory_order_relaxed);
  }

 private:
  Arena arena_;
  OrderedTable table_;
  const uint64_t id_;
  std::atomic<uint64_t> entry_count_{0};
  std::atomic<SequenceNumber> smallest_sequence_{kMaxSequenceNumber};
  std::atomic<SequenceNumber> largest_sequence_{0};
};

}  // namespace siltstone
