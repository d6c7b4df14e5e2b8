#include "sstable/data_block_reader.h"

#include "base/check.h"
#include "base/coding.h"
#include "sstable/byte_prefix.h"

namespace siltstone {

namespace {

constexpr uint64_t kLastType = static_cast<uint64_t>(ValueType::kValue);

bool DecodeLongHead(const char* p, const char* limit, DataBlockEntry* entry) {
  Decoder decoder({p, static_cast<size_t>(limit - p)});
  if (!decoder.Varint32(&entry->shared) || !decoder.Varint32(&entry->unshared) ||
      !decoder.Varint32(&entry->value_size)) {
    return false;
  }
  entry->rest = p + decoder.offset();
  return true;
}

// The last restart point whose key comes before the sought one; 0 where none does. False: damage.
bool FindRestart(const Block& block, const KeyOrder& order, std::string_view user_key,
                 uint64_t seek_trailer, uint32_t* offset) {
  const char* const limit = block.bytes() + block.entry_bytes();
  uint32_t low = 0, high = block.restart_count() - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    DataBlockEntry entry;
    if (!DecodeDataBlockEntry(block.bytes() + block.restart_offset(middle), limit, &entry) ||
        entry.shared != 0) {
      return false;
    }
    const int c = order.CompareUserKeys(entry.key_rest(), user_key);
    if (c < 0 || (c == 0 && entry.trailer() > seek_trailer)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  *offset = block.restart_offset(low);
  return true;
}

// Walks from `p` on. `matched` is what the sought key has in common with the key before, which comes before
// it. A key that shares more with the one before than that comes before the sought one too; for any other
// only the bytes from `shared` on matter.
PointVerdict WalkBytewise(const char* p, const char* limit, std::string_view user_key,
                          uint64_t seek_trailer, DataBlockEntry* entry) {
  size_t matched = 0, previous_size = 0;
  for (; p != limit; p = entry->end()) {
    if (!DecodeDataBlockEntry(p, limit, entry) || entry->shared > previous_size) {
      return PointVerdict::kDamaged;
    }
    previous_size = size_t{entry->shared} + entry->unshared;
    if (entry->shared > matched) continue;
    const std::string_view have = entry->key_rest();
    const std::string_view want = user_key.substr(entry->shared);
    const size_t common = CommonPrefixBytes(have, want);
    if (common == want.size()) {
      if (have.size() != common) return PointVerdict::kAbsent;
      if (entry->trailer() <= seek_trailer) return PointVerdict::kMatch;
    } else if (common != have.size() && static_cast<unsigned char>(have[common]) >
                                            static_cast<unsigned char>(want[common])) {
      return PointVerdict::kAbsent;
    }
    matched = entry->shared + common;
  }
  return PointVerdict::kPastEnd;
}

PointVerdict WalkCompared(const char* p, const char* limit, const KeyOrder& order,
                          std::string_view user_key, uint64_t seek_trailer, DataBlockEntry* entry) {
  std::string key;
  for (; p != limit; p = entry->end()) {
    if (!DecodeDataBlockEntry(p, limit, entry) || entry->shared > key.size()) {
      return PointVerdict::kDamaged;
    }
    key.resize(entry->shared);
    key.append(entry->key_rest());
    const int c = order.CompareUserKeys(key, user_key);
    if (c > 0) return PointVerdict::kAbsent;
    if (c == 0 && entry->trailer() <= seek_trailer) return PointVerdict::kMatch;
  }
  return PointVerdict::kPastEnd;
}

}  // namespace

uint64_t DataBlockEntry::trailer() const { return LoadFixed64(rest + unshared); }

bool DecodeDataBlockEntry(const char* p, const char* limit, DataBlockEntry* entry) {
  const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
  if (limit - p >= 3 && (byte(0) | byte(1) | byte(2)) < 0x80) {
    entry->shared = byte(0);
    entry->unshared = byte(1);
    entry->value_size = byte(2);
    entry->rest = p + 3;
  } else if (!DecodeLongHead(p, limit, entry)) {
    return false;
  }
  const uint64_t size = uint64_t{entry->unshared} + kTrailerBytes + entry->value_size;
  if (size > static_cast<uint64_t>(limit - entry->rest)) return false;
  return static_cast<unsigned char>(entry->rest[entry->unshared]) <= kLastType;
}

bool RestartPointsBeginEntries(const Block& block) {
  const char* const limit = block.bytes() + block.entry_bytes();
  uint32_t restart = 0;
  for (const char* p = block.bytes(); p != limit;) {
    DataBlockEntry entry;
    if (!DecodeDataBlockEntry(p, limit, &entry)) return false;
    if (restart < block.restart_count() && p == block.bytes() + block.restart_offset(restart)) {
      if (entry.shared != 0) return false;
      ++restart;
    }
    p = entry.end();
  }
  return restart == block.restart_count();
}

PointVerdict FindInDataBlock(const Block& block, const KeyOrder& order, std::string_view user_key,
                             uint64_t seek_trailer, DataBlockEntry* entry) {
  uint32_t offset;
  if (!FindRestart(block, order, user_key, seek_trailer, &offset)) return PointVerdict::kDamaged;
  const char* const start = block.bytes() + offset;
  const char* const limit = block.bytes() + block.entry_bytes();
  return order.bytewise() ? WalkBytewise(start, limit, user_key, seek_trailer, entry)
                          : WalkCompared(start, limit, order, user_key, seek_trailer, entry);
}

void DataBlockCursor::SetBlock(const Block* block) {
  block_ = block;
  valid_ = false;
  damaged_ = false;
  key_ = value_ = {};
  offset_ = next_offset_ = 0;
}

void DataBlockCursor::SetDamaged() {
  damaged_ = true;
  valid_ = false;
  key_ = value_ = {};
}

void DataBlockCursor::GoToRestart(uint32_t offset) {
  valid_ = false;
  key_ = {};
  next_offset_ = offset;
  ReadNext();
}

void DataBlockCursor::ReadNext() {
  if (next_offset_ == block_->entry_bytes()) {
    valid_ = false;
    return;
  }
  DataBlockEntry entry;
  const size_t previous_size = key_.empty() ? 0 : key_.size() - kTrailerBytes;
  if (!DecodeDataBlockEntry(block_->bytes() + next_offset_, limit(), &entry) ||
      entry.shared > previous_size) {
    SetDamaged();
    return;
  }
  const size_t rest_size = entry.unshared + kTrailerBytes;
  if (entry.shared == 0) {
    key_ = {entry.rest, rest_size};
  } else {
    if (key_.data() == buffer_.data()) {
      buffer_.resize(entry.shared);
    } else {
      buffer_.assign(key_.data(), entry.shared);
    }
    buffer_.append(entry.rest, rest_size);
    key_ = buffer_;
  }
  value_ = entry.value();
  offset_ = next_offset_;
  next_offset_ = static_cast<uint32_t>(entry.end() - block_->bytes());
  valid_ = true;
}

void DataBlockCursor::SeekToFirst() {
  if (!damaged_) GoToRestart(0);
}

void DataBlockCursor::SeekToLast() {
  if (damaged_) return;
  GoToRestart(block_->restart_offset(block_->restart_count() - 1));
  while (valid_ && next_offset_ != block_->entry_bytes()) ReadNext();
}

void DataBlockCursor::Seek(std::string_view internal_key) {
  if (damaged_) return;
  uint32_t offset;
  if (!FindRestart(*block_, order_, ExtractUserKey(internal_key), ExtractTrailer(internal_key),
                   &offset)) {
    SetDamaged();
    return;
  }
  GoToRestart(offset);
  while (valid_ && order_.CompareInternalKeys(key_, internal_key) < 0) ReadNext();
}

void DataBlockCursor::Next() {
  SILTSTONE_DCHECK(valid_);
  ReadNext();
}

void DataBlockCursor::Prev() {
  SILTSTONE_DCHECK(valid_);
  const uint32_t here = offset_;
  if (here == 0) {
    valid_ = false;
    return;
  }
  // The last restart point before here; the first one is at 0.
  uint32_t low = 0, high = block_->restart_count() - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (block_->restart_offset(middle) < here) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  GoToRestart(block_->restart_offset(low));
  while (valid_ && next_offset_ < here) ReadNext();
  if (valid_ && next_offset_ != here) SetDamaged();  // a restart point amid an entry
}

}  // namespace siltstone
