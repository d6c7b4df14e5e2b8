#include "engine/manifest/table_meta.h"

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {
namespace {

// The fixed-size part, in the order on disk.
std::array<uint64_t TableMeta::*, 7> TrailingNumbers() {
  return {&TableMeta::smallest_sequence, &TableMeta::largest_sequence, &TableMeta::entries,
          &TableMeta::distinct_keys,     &TableMeta::tombstones,       &TableMeta::raw_key_bytes,
          &TableMeta::raw_value_bytes};
}

void AppendKey(std::string* out, std::string_view key) {
  AppendFixed32(out, static_cast<uint32_t>(key.size()));
  out->append(key);
}

bool DecodeKey(Decoder* decoder, std::string* key) {
  uint32_t size_bytes;
  std::string_view bytes;
  if (!decoder->Fixed32(&size_bytes) || !decoder->Bytes(size_bytes, &bytes)) return false;
  key->assign(bytes);
  return true;
}

absl::Status Wrong(const TableMeta& meta, const std::string& what) {
  return absl::DataLossError(absl::StrCat("table ", meta.FileName(), ": ", what));
}

absl::Status CheckCounts(const TableMeta& meta) {
  if (!meta.file_id().InRange()) return Wrong(meta, "epoch or number out of range");
  if (meta.file_size_bytes == 0) return Wrong(meta, "file size 0");
  if (meta.tail_size_bytes == 0 || meta.tail_size_bytes > meta.file_size_bytes) {
    return Wrong(meta, absl::StrCat("tail size ", meta.tail_size_bytes, ", expected 1 to ",
                                    meta.file_size_bytes));
  }
  if (meta.id.is_zero()) return Wrong(meta, "table id 0");
  if (meta.smallest_sequence > meta.largest_sequence ||
      meta.largest_sequence > kMaxSequenceNumber) {
    return Wrong(meta, absl::StrCat("sequence numbers ", meta.smallest_sequence, " to ",
                                    meta.largest_sequence));
  }
  if (meta.distinct_keys == 0 || meta.distinct_keys > meta.entries) {
    return Wrong(
        meta, absl::StrCat("distinct keys ", meta.distinct_keys, " of ", meta.entries, " entries"));
  }
  if (meta.tombstones > meta.entries) {
    return Wrong(meta,
                 absl::StrCat("tombstones ", meta.tombstones, " of ", meta.entries, " entries"));
  }
  return absl::OkStatus();
}

absl::Status CheckBound(const TableMeta& meta, std::string_view key, const char* which) {
  if (!IsInternalKey(key)) return Wrong(meta, absl::StrCat(which, " key is not an internal key"));
  const SequenceNumber sequence = TrailerSequence(ExtractTrailer(key));
  if (sequence < meta.smallest_sequence || sequence > meta.largest_sequence) {
    return Wrong(meta, absl::StrCat(which, " key has sequence number ", sequence, ", expected ",
                                    meta.smallest_sequence, " to ", meta.largest_sequence));
  }
  return absl::OkStatus();
}

}  // namespace

void AppendTableMeta(std::string* out, const TableMeta& meta) {
  AppendFixed64(out, meta.epoch);
  AppendFixed64(out, meta.number);
  AppendFixed64(out, meta.file_size_bytes);
  AppendFixed64(out, meta.tail_size_bytes);
  AppendFixed64(out, meta.id.high);
  AppendFixed64(out, meta.id.low);
  for (const auto member : TrailingNumbers()) AppendFixed64(out, meta.*member);
  AppendKey(out, meta.smallest);
  AppendKey(out, meta.largest);
}

absl::Status DecodeTableMeta(Decoder* decoder, TableMeta* meta) {
  bool whole = decoder->Fixed64(&meta->epoch) && decoder->Fixed64(&meta->number) &&
               decoder->Fixed64(&meta->file_size_bytes) &&
               decoder->Fixed64(&meta->tail_size_bytes) && decoder->Fixed64(&meta->id.high) &&
               decoder->Fixed64(&meta->id.low);
  for (const auto member : TrailingNumbers()) whole = whole && decoder->Fixed64(&(meta->*member));
  whole = whole && DecodeKey(decoder, &meta->smallest) && DecodeKey(decoder, &meta->largest);
  if (!whole) return absl::DataLossError("table: cut short");
  SILTSTONE_RETURN_IF_ERROR(CheckCounts(*meta));
  SILTSTONE_RETURN_IF_ERROR(CheckBound(*meta, meta->smallest, "smallest"));
  return CheckBound(*meta, meta->largest, "largest");
}

std::string QuoteKey(std::string_view user_key) {
  constexpr size_t kShownBytes = 32;
  std::string text =
      absl::StrCat("\"", absl::CHexEscape(ToAbsl(user_key.substr(0, kShownBytes))), "\"");
  if (user_key.size() > kShownBytes) absl::StrAppend(&text, "... (", user_key.size(), " bytes)");
  return text;
}

}  // namespace siltstone
