#include "siltstone/write_batch.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/internal_key.h"

// Format (FORMAT.md, "Batch"), entry after entry: u8 tag (ValueType), varint32 key length, key; for
// a value also varint32 value length, value. Lengths beyond 32 bits are written as they are: such a
// batch is over kMaxSizeBytes and never reaches a log.

namespace siltstone {
namespace {

void AppendTag(std::string* entries, ValueType type) {
  entries->push_back(static_cast<char>(type));
}

}  // namespace

void WriteBatch::Put(std::string_view key, std::string_view value) {
  AppendTag(&entries_, ValueType::kValue);
  AppendLengthPrefixed(&entries_, key);
  AppendLengthPrefixed(&entries_, value);
  ++count_;
}

void WriteBatch::Delete(std::string_view key) {
  AppendTag(&entries_, ValueType::kDeletion);
  AppendLengthPrefixed(&entries_, key);
  ++count_;
}

void WriteBatch::Clear() {
  entries_.clear();
  count_ = 0;
}

void WriteBatch::Iterate(Handler& handler) const {
  Decoder decoder(entries_);
  uint8_t tag;
  std::string_view key, value;
  while (decoder.Fixed8(&tag)) {
    SILTSTONE_CHECK(decoder.LengthPrefixed(&key));  // we wrote these bytes ourselves
    if (tag == static_cast<uint8_t>(ValueType::kDeletion)) {
      handler.Delete(key);
    } else {
      SILTSTONE_CHECK(decoder.LengthPrefixed(&value));
      handler.Put(key, value);
    }
  }
}

}  // namespace siltstone
