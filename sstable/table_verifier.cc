#include "sstable/table_verifier.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "base/hash.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {

absl::Status TableVerifier::Run() {
  SILTSTONE_RETURN_IF_ERROR(VerifyTail());
  for (size_t i = 0; i < table_.index.block_count(); ++i) {
    SILTSTONE_RETURN_IF_ERROR(VerifyBlock(i));
  }
  return VerifyTotals();
}

// Opens the table again, by its own bytes: footer, index and properties as at Open, then the filter.
absl::Status TableVerifier::VerifyTail() const {
  const Footer& footer = table_.footer;
  std::string tail(footer.tail_size_bytes, '\0');
  SILTSTONE_RETURN_IF_ERROR(table_.file.Read(footer.tail_start(), tail));
  Footer again;
  SILTSTONE_RETURN_IF_ERROR(DecodeFooter(std::string_view(tail).substr(tail.size() - kFooterBytes),
                                         footer.file_size_bytes, table_.file_name, &again));
  if (again.table_id != footer.table_id || again.tail_size_bytes != footer.tail_size_bytes) {
    return DamageAt("footer: another than when the table was opened", table_.file_name,
                    {footer.file_size_bytes - kFooterBytes, kFooterBytes});
  }
  auto contents =
      FindTailBlock(tail, again, again.properties, BlockKind::kProperties, table_.file_name);
  if (!contents.ok()) return contents.status();
  contents = FindTailBlock(tail, again, again.index, BlockKind::kIndex, table_.file_name);
  if (!contents.ok()) return contents.status();
  if (again.filter.stored_size_bytes != 0) {
    contents = FindTailBlock(tail, again, again.filter, BlockKind::kFilter, table_.file_name);
    if (!contents.ok()) return contents.status();
  }
  return absl::OkStatus();
}

absl::Status TableVerifier::DamageInBlock(size_t index, std::string_view what) const {
  return DamageAt(what, table_.file_name, table_.index.handle(index));
}

absl::Status TableVerifier::VerifyBlock(size_t index) {
  BlockRef block;
  SILTSTONE_RETURN_IF_ERROR(table_.fetcher.FetchUncached(table_.index.handle(index), &block));
  largest_block_bytes_ = std::max<uint64_t>(largest_block_bytes_, block.get()->contents().size());
  DataBlockCursor cursor(table_.order);
  cursor.SetBlock(block.get());
  bool first = true;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next(), first = false) {
    SILTSTONE_RETURN_IF_ERROR(VerifyEntry(index, cursor));
    if (first && index != 0 &&
        table_.order.CompareInternalKeys(table_.index.separator(index - 1), cursor.key()) >= 0) {
      return DamageInBlock(index, "data block: first key is not after the separator before it");
    }
  }
  if (cursor.damaged()) return DamageInBlock(index, "data block: malformed entry");
  if (!RestartPointsBeginEntries(*block.get())) {
    return DamageInBlock(index, "data block: a restart point begins no entry");
  }
  if (table_.order.CompareInternalKeys(last_key_, table_.index.separator(index)) > 0) {
    return DamageInBlock(index, "data block: last key is after the separator");
  }
  return absl::OkStatus();
}

absl::Status TableVerifier::VerifyEntry(size_t index, const DataBlockCursor& cursor) {
  const std::string_view key = cursor.key();
  const std::string_view user_key = ExtractUserKey(key);
  if (any_ && table_.order.CompareInternalKeys(last_key_, key) >= 0) {
    return DamageInBlock(index, absl::StrCat("data block: entry ", entries_,
                                             " of the table is not after the one before"));
  }
  const bool new_user_key = !any_ || ExtractUserKey(last_key_) != user_key;
  if (new_user_key && table_.filter != nullptr &&
      !table_.filter->MayContain(HashKey(user_key, table_.filter_hash_seed))) {
    return DamageAt(absl::StrCat("filter: does not know the key of entry ", entries_),
                    table_.file_name, table_.footer.filter);
  }
  if (!any_) first_key_.assign(key);
  any_ = true;
  const uint64_t trailer = ExtractTrailer(key);
  const SequenceNumber sequence = TrailerSequence(trailer);
  ++entries_;
  distinct_keys_ += new_user_key ? 1 : 0;
  tombstones_ += trailer == PackTrailer(sequence, ValueType::kDeletion) ? 1 : 0;
  raw_key_bytes_ += key.size();
  raw_value_bytes_ += cursor.value().size();
  smallest_sequence_ = std::min(smallest_sequence_, sequence);
  largest_sequence_ = std::max(largest_sequence_, sequence);
  last_key_.assign(key);
  return absl::OkStatus();
}

absl::Status TableVerifier::VerifyTotal(std::string_view what, uint64_t observed,
                                        uint64_t expected) const {
  if (observed == expected) return absl::OkStatus();
  return DamageAt(
      absl::StrCat(ToAbsl(what), ": observed ", observed, ", the properties say ", expected),
      table_.file_name, table_.footer.properties);
}

absl::Status TableVerifier::VerifyTotals() const {
  const TableProperties& p = table_.properties;
  SILTSTONE_RETURN_IF_ERROR(VerifyTotal("entries", entries_, p.entries));
  SILTSTONE_RETURN_IF_ERROR(VerifyTotal("distinct keys", distinct_keys_, p.distinct_keys));
  SILTSTONE_RETURN_IF_ERROR(VerifyTotal("tombstones", tombstones_, p.tombstones));
  SILTSTONE_RETURN_IF_ERROR(VerifyTotal("key bytes", raw_key_bytes_, p.raw_key_bytes));
  SILTSTONE_RETURN_IF_ERROR(VerifyTotal("value bytes", raw_value_bytes_, p.raw_value_bytes));
  SILTSTONE_RETURN_IF_ERROR(
      VerifyTotal("largest block", largest_block_bytes_, p.largest_block_bytes));
  SILTSTONE_RETURN_IF_ERROR(
      VerifyTotal("smallest sequence", smallest_sequence_, p.smallest_sequence));
  SILTSTONE_RETURN_IF_ERROR(VerifyTotal("largest sequence", largest_sequence_, p.largest_sequence));
  if (first_key_ != p.smallest || last_key_ != p.largest) {
    return DamageAt("key range: the properties have another than the entries", table_.file_name,
                    table_.footer.properties);
  }
  return absl::OkStatus();
}

}  // namespace siltstone
