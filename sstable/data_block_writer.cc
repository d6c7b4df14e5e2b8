#include "sstable/data_block_writer.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/internal_key.h"
#include "sstable/block_format.h"
#include "sstable/byte_prefix.h"

namespace siltstone {

namespace {

constexpr size_t kMaxEntryHeadBytes = 3 * kMaxVarint32Bytes;

}  // namespace

bool DataBlockWriter::Fits(size_t internal_key_bytes, size_t value_bytes) const {
  if (internal_key_bytes > kMaxUserKeyBytes + kTrailerBytes || value_bytes > kMaxValueBytes) {
    return false;
  }
  return uint64_t{size_bytes()} + kMaxEntryHeadBytes + 4 + internal_key_bytes + value_bytes <=
         kMaxBlockContentBytes;
}

void DataBlockWriter::Add(std::string_view internal_key, std::string_view value) {
  SILTSTONE_DCHECK(Fits(internal_key.size(), value.size()));
  const std::string_view user_key = ExtractUserKey(internal_key);
  size_t shared = 0;
  if (entry_count_ % static_cast<uint64_t>(restart_interval_) == 0) {
    restarts_.push_back(static_cast<uint32_t>(buffer_.size()));
  } else {
    shared = CommonPrefixBytes(last_user_key_, user_key);
  }
  AppendVarint32(&buffer_, static_cast<uint32_t>(shared));
  AppendVarint32(&buffer_, static_cast<uint32_t>(user_key.size() - shared));
  AppendVarint32(&buffer_, static_cast<uint32_t>(value.size()));
  buffer_.append(internal_key.substr(shared));
  buffer_.append(value);
  last_user_key_.assign(user_key);
  ++entry_count_;
}

std::string* DataBlockWriter::Finish() {
  SILTSTONE_CHECK(entry_count_ != 0);
  for (const uint32_t offset : restarts_) AppendFixed32(&buffer_, offset);
  AppendFixed32(&buffer_, static_cast<uint32_t>(restarts_.size()));
  return &buffer_;
}

void DataBlockWriter::Reset() {
  // One huge value must not cost its memory for the rest of the table.
  constexpr size_t kKeptBytes = size_t{1} << 20;
  if (buffer_.capacity() > kKeptBytes) std::string().swap(buffer_);
  buffer_.clear();
  restarts_.clear();
  entry_count_ = 0;
}

}  // namespace siltstone
