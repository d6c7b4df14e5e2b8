#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace siltstone {

// Builds the contents of one data block after the other.
//
// Format: FORMAT.md, "Data block", S6 to S9: user keys share the prefix of the one before; trailers are kept
// whole, so that a point search compares without building keys.
//
// Thread safety: thread-compatible. Cost: Add appends to one buffer that is kept from block to block.
class DataBlockWriter {
 public:
  // `restart_interval`: entries from restart point to restart point, at least 1.
  explicit DataBlockWriter(int restart_interval) : restart_interval_(restart_interval) {}

  // REQUIRES: `internal_key` is one and comes after all that were added; sizes obey S9 (see Fits).
  void Add(std::string_view internal_key, std::string_view value);
  // Whether the block, with this entry, still obeys S9.
  bool Fits(size_t internal_key_bytes, size_t value_bytes) const;

  // Ends the block: its contents are in the result, to be taken or changed.
  // REQUIRES: !empty().
  std::string* Finish();
  // Begins the next block.
  void Reset();

  bool empty() const { return entry_count_ == 0; }
  // Bytes that the contents would have now.
  size_t size_bytes() const { return buffer_.size() + 4 * restarts_.size() + 4; }
  const std::string& last_user_key() const { return last_user_key_; }

 private:
  const int restart_interval_;
  std::string buffer_;
  std::vector<uint32_t> restarts_;
  std::string last_user_key_;
  uint64_t entry_count_ = 0;
};

}  // namespace siltstone
