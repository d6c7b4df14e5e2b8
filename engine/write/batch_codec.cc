#include "engine/write/batch_codec.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {
namespace {

struct Entry {
  ValueType type = ValueType::kDeletion;
  std::string_view key;
  std::string_view value;
};

absl::Status Malformed(std::string_view what, size_t offset, size_t left) {
  return absl::DataLossError(absl::StrCat("batch ", ToAbsl(what), ", at payload offset ", offset,
                                          " with ", left, " bytes left"));
}

// `offset` is where the decoder's bytes begin in the payload.
absl::Status DecodeEntry(Decoder* decoder, size_t offset, Entry* entry) {
  const size_t at = offset + decoder->offset(), left = decoder->remaining();
  uint8_t tag = 0;
  if (!decoder->Fixed8(&tag)) return Malformed("entry: missing", at, left);
  if (tag > static_cast<uint8_t>(ValueType::kValue)) {
    return Malformed(absl::StrCat("entry tag: observed ", tag, ", expected 0 or 1"), at, left);
  }
  entry->type = static_cast<ValueType>(tag);
  uint32_t key_bytes = 0, value_bytes = 0;
  if (!decoder->Varint32(&key_bytes) || !decoder->Bytes(key_bytes, &entry->key)) {
    return Malformed("entry key: its length is malformed or too large", at, left);
  }
  entry->value = {};
  if (entry->type == ValueType::kDeletion) return absl::OkStatus();
  if (!decoder->Varint32(&value_bytes) || !decoder->Bytes(value_bytes, &entry->value)) {
    return Malformed("entry value: its length is malformed or too large", at, left);
  }
  return absl::OkStatus();
}

// Calls `visit(entry)` for each entry up to the first malformed byte.
template <typename Visit>
absl::Status WalkGroup(std::string_view payload, const Visit& visit) {
  Decoder group(payload);
  while (!group.empty()) {
    const size_t at = group.offset(), left = group.remaining();
    uint32_t count = 0, bytes = 0;
    std::string_view entries;
    if (!group.Fixed32(&count) || !group.Fixed32(&bytes)) {
      return Malformed("head: observed fewer than 8 bytes", at, left);
    }
    const size_t entries_at = group.offset();
    if (!group.Bytes(bytes, &entries)) {
      return Malformed(
          absl::StrCat("size: observed ", bytes, ", expected at most ", group.remaining()), at,
          left);
    }
    Decoder batch(entries);
    Entry entry;
    uint32_t observed = 0;
    for (; !batch.empty(); ++observed) {
      SILTSTONE_RETURN_IF_ERROR(DecodeEntry(&batch, entries_at, &entry));
      visit(entry);
    }
    if (observed != count) {
      return Malformed(absl::StrCat("entry count: observed ", observed, ", expected ", count), at,
                       left);
    }
  }
  return absl::OkStatus();
}

}  // namespace

void AppendBatch(std::string* payload, const WriteBatch& batch) {
  SILTSTONE_CHECK(batch.size_bytes() <= WriteBatch::kMaxSizeBytes);
  SILTSTONE_CHECK(batch.count() <= batch.size_bytes());
  AppendFixed32(payload, static_cast<uint32_t>(batch.count()));
  AppendFixed32(payload, static_cast<uint32_t>(batch.size_bytes()));
  payload->append(batch.entries());
}

absl::Status DecodeGroup(std::string_view payload, SequenceNumber first_sequence,
                         GroupEntryVisitor visit) {
  uint64_t entries = 0;
  SILTSTONE_RETURN_IF_ERROR(WalkGroup(payload, [&](const Entry&) { ++entries; }));
  if (first_sequence > kMaxSequenceNumber || entries > kMaxSequenceNumber - first_sequence + 1) {
    return absl::DataLossError(absl::StrCat("batch sequence numbers: observed ", entries, " from ",
                                            first_sequence, ", expected at most ",
                                            kMaxSequenceNumber));
  }
  SequenceNumber sequence = first_sequence;
  return WalkGroup(
      payload, [&](const Entry& entry) { visit(sequence++, entry.type, entry.key, entry.value); });
}

}  // namespace siltstone
