#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/internal_key.h"
#include "sstable/block.h"

// Reads in one data block: a point search that builds no keys, and a cursor for both directions.
//
// Format: FORMAT.md, "Data block". The bytes are not trusted although their checksum was right: every step
// stays within the block's entries and ends, where S7 does not hold, in a verdict of damage.

namespace siltstone {

// The head of one entry. A plain value.
struct DataBlockEntry {
  uint32_t shared = 0;
  uint32_t unshared = 0;
  uint32_t value_size = 0;
  const char* rest = nullptr;  // `unshared` bytes of user key, the trailer, the value

  std::string_view key_rest() const { return {rest, unshared}; }
  uint64_t trailer() const;
  std::string_view value() const { return {rest + unshared + kTrailerBytes, value_size}; }
  const char* end() const { return rest + unshared + kTrailerBytes + value_size; }
};

// Decodes the entry at `p`; false where it does not lie whole before `limit` or its trailer has no type.
bool DecodeDataBlockEntry(const char* p, const char* limit, DataBlockEntry* entry);

// Whether every restart point begins an entry that stands with its whole key: what searches rely on, and what only a
// walk over the whole block can tell. False also where an entry is malformed.
// Cost: one pass over the heads of the entries.
bool RestartPointsBeginEntries(const Block& block);

enum class PointVerdict {
  kMatch,    // *entry is the newest version of the user key that is not newer than asked
  kAbsent,   // a later key follows where one would stand
  kPastEnd,  // every entry comes before it
  kDamaged,
};

// Looks for the first entry at or after (user_key, seek_trailer), and tells whether it is of `user_key`.
// Cost: a binary search over the restart points and a walk over at most one interval; no allocation under
// the bytewise order.
PointVerdict FindInDataBlock(const Block& block, const KeyOrder& order, std::string_view user_key,
                             uint64_t seek_trailer, DataBlockEntry* entry);

// A position in a block. Not valid at first, and after a step off either end. Single-threaded.
//
// Invariants:
//   I1. Valid() implies !damaged(). Damage stays until the next SetBlock.
//   I2. key() and value() are good until the next move.
class DataBlockCursor {
 public:
  explicit DataBlockCursor(const KeyOrder& order) : order_(order) {}

  // Null: no block. The block must stay for as long as the cursor is used.
  void SetBlock(const Block* block);

  bool Valid() const { return valid_; }
  bool damaged() const { return damaged_; }
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

  // REQUIRES of the seeks: a block is set.
  void SeekToFirst();
  void SeekToLast();
  // To the first entry at or after `internal_key`.
  void Seek(std::string_view internal_key);
  // REQUIRES: Valid().
  void Next();
  // Cost: decodes from the restart point before.
  void Prev();

 private:
  const char* limit() const { return block_->bytes() + block_->entry_bytes(); }
  void GoToRestart(uint32_t offset);
  // Decodes the entry at next_offset_; makes the cursor invalid at the end of the entries.
  void ReadNext();
  void SetDamaged();

  const KeyOrder order_;
  const Block* block_ = nullptr;
  bool valid_ = false;
  bool damaged_ = false;
  uint32_t offset_ = 0;
  uint32_t next_offset_ = 0;
  std::string_view key_;  // in the block where nothing is shared, else buffer_
  std::string_view value_;
  std::string buffer_;
};

}  // namespace siltstone
