#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "base/internal_key.h"
#include "sstable/block_format.h"

// The index of a table: which data block may hold a key.
//
// Format: FORMAT.md, "Index block", S11 to S13.

namespace siltstone {

// The shortest internal key that is at or after `last` and before `next`. Shortened under the bytewise order
// and between different user keys only; `last` itself otherwise.
std::string MakeSeparator(const KeyOrder& order, std::string_view last, std::string_view next);

// Collects the blocks of a table in order. Thread-compatible.
class IndexBlockWriter {
 public:
  void Add(std::string_view separator, uint64_t stored_size_bytes);
  // The contents; called once.
  std::string Finish();

  size_t size_bytes() const { return 4 + entries_.size(); }
  uint64_t block_count() const { return block_count_; }

 private:
  std::string entries_;
  uint64_t block_count_ = 0;
};

// The index as reads use it: flat arrays; eight bytes of each separator stand beside one another, so that a
// search touches whole keys only where those bytes are equal. What all separators begin with is left out
// of those bytes.
//
// Immutable and thread-safe. Cost: a search is a binary search over 8 bytes a block and some key compares;
// no allocation. Memory: 20 bytes and the separator, a block.
class IndexBlockReader {
 public:
  // Decodes and checks S11, S12 as far as the index alone shows it, and S13 (`data_end`: the tail start).
  // DataLoss, without a place, says what is wrong.
  static absl::Status Decode(std::string_view contents, const KeyOrder& order, uint64_t data_end,
                             IndexBlockReader* index);

  explicit IndexBlockReader(const KeyOrder& order) : order_(order) {}

  // The first block whose separator is at or after (user_key, trailer); block_count() where none is.
  size_t Find(std::string_view user_key, uint64_t trailer) const;

  size_t block_count() const { return prefixes_.size(); }
  // REQUIRES of both: block < block_count().
  BlockHandle handle(size_t block) const {
    return {block_ends_[block], block_ends_[block + 1] - block_ends_[block]};
  }
  std::string_view separator(size_t block) const {
    return std::string_view(keys_).substr(key_ends_[block],
                                          key_ends_[block + 1] - key_ends_[block]);
  }
  size_t memory_bytes() const;

 private:
  absl::Status DecodeEntries(std::string_view contents);
  absl::Status CheckOrder() const;
  void BuildPrefixes();

  KeyOrder order_;
  size_t common_bytes_ = 0;           // what all user keys of separators begin with
  std::vector<uint64_t> prefixes_;    // KeyOrder::Prefix of what follows that
  std::vector<uint32_t> key_ends_;    // one more than blocks, beginning with 0; into keys_
  std::vector<uint64_t> block_ends_;  // one more than blocks, beginning with 0; file offsets
  std::string keys_;
};

}  // namespace siltstone
