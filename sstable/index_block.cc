#include "sstable/index_block.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/status_macros.h"
#include "sstable/byte_prefix.h"

namespace siltstone {

namespace {

// The least entry: a separator of the trailer alone with its length, and a stored size.
constexpr size_t kMinEntryBytes = 1 + kTrailerBytes + 1;

// A user key strictly between, shorter than `last`; empty where there is none.
std::string ShortestBetween(std::string_view last, std::string_view next) {
  const size_t common = CommonPrefixBytes(last, next);
  if (common == last.size() || common == next.size()) return {};
  const auto low = static_cast<unsigned char>(last[common]);
  const auto high = static_cast<unsigned char>(next[common]);
  std::string key(last.substr(0, common + 1));
  if (low + 1 < high) {
    key.back() = static_cast<char>(low + 1);
  } else if (next.size() > common + 1) {
    key.back() = static_cast<char>(high);
  } else {
    size_t i = common + 1;
    while (i < last.size() && static_cast<unsigned char>(last[i]) == 0xff) ++i;
    if (i == last.size()) return {};
    key = last.substr(0, i + 1);
    ++key.back();
  }
  return key.size() < last.size() ? key : std::string();
}

}  // namespace

std::string MakeSeparator(const KeyOrder& order, std::string_view last, std::string_view next) {
  if (order.bytewise()) {
    const std::string between = ShortestBetween(ExtractUserKey(last), ExtractUserKey(next));
    if (!between.empty()) return MakeInternalKey(between, SeekTrailer(kMaxSequenceNumber));
  }
  return std::string(last);
}

void IndexBlockWriter::Add(std::string_view separator, uint64_t stored_size_bytes) {
  SILTSTONE_CHECK(stored_size_bytes <= UINT32_MAX);
  AppendLengthPrefixed(&entries_, separator);
  AppendVarint32(&entries_, static_cast<uint32_t>(stored_size_bytes));
  ++block_count_;
}

std::string IndexBlockWriter::Finish() {
  SILTSTONE_CHECK(block_count_ != 0 && block_count_ <= UINT32_MAX);
  std::string contents;
  contents.reserve(size_bytes() + kBlockTrailerBytes);
  AppendFixed32(&contents, static_cast<uint32_t>(block_count_));
  contents.append(entries_);
  std::string().swap(entries_);
  return contents;
}

absl::Status IndexBlockReader::Decode(std::string_view contents, const KeyOrder& order,
                                      uint64_t data_end, IndexBlockReader* index) {
  *index = IndexBlockReader(order);
  SILTSTONE_RETURN_IF_ERROR(index->DecodeEntries(contents));
  if (index->block_ends_.back() != data_end) {
    return absl::DataLossError(absl::StrCat("index: data blocks end at ", index->block_ends_.back(),
                                            ", expected at ", data_end));
  }
  SILTSTONE_RETURN_IF_ERROR(index->CheckOrder());
  index->BuildPrefixes();
  return absl::OkStatus();
}

absl::Status IndexBlockReader::DecodeEntries(std::string_view contents) {
  Decoder decoder(contents);
  uint32_t count;
  if (!decoder.Fixed32(&count) || count == 0 || count > decoder.remaining() / kMinEntryBytes) {
    return absl::DataLossError(
        absl::StrCat("index: entry count impossible in a block of ", contents.size(), " bytes"));
  }
  prefixes_.resize(count);
  key_ends_.reserve(count + size_t{1});
  block_ends_.reserve(count + size_t{1});
  keys_.reserve(contents.size() - decoder.offset() - count * size_t{2});
  key_ends_.push_back(0);
  block_ends_.push_back(0);
  for (uint32_t i = 0; i < count; ++i) {
    std::string_view separator;
    uint32_t stored_size;
    if (!decoder.LengthPrefixed(&separator) || !decoder.Varint32(&stored_size) ||
        separator.size() < kTrailerBytes || stored_size <= kBlockTrailerBytes) {
      return absl::DataLossError(absl::StrCat("index: entry ", i, " of ", count,
                                              " is malformed, at its byte ", decoder.offset()));
    }
    keys_.append(separator);
    key_ends_.push_back(static_cast<uint32_t>(keys_.size()));
    block_ends_.push_back(block_ends_.back() + stored_size);
  }
  if (!decoder.empty()) {
    return absl::DataLossError(
        absl::StrCat("index: ", decoder.remaining(), " bytes behind ", count, " entries"));
  }
  return absl::OkStatus();
}

absl::Status IndexBlockReader::CheckOrder() const {
  for (size_t i = 1; i < block_count(); ++i) {
    if (order_.CompareInternalKeys(separator(i - 1), separator(i)) >= 0) {
      return absl::DataLossError(
          absl::StrCat("index: separator ", i, " is not after the one before"));
    }
  }
  return absl::OkStatus();
}

void IndexBlockReader::BuildPrefixes() {
  const size_t last = block_count() - 1;
  if (order_.bytewise()) {
    common_bytes_ =
        CommonPrefixBytes(ExtractUserKey(separator(0)), ExtractUserKey(separator(last)));
  }
  for (size_t i = 0; i <= last; ++i) {
    prefixes_[i] = order_.Prefix(ExtractUserKey(separator(i)).substr(common_bytes_));
  }
}

size_t IndexBlockReader::Find(std::string_view user_key, uint64_t trailer) const {
  if (common_bytes_ != 0) {
    const std::string_view common = std::string_view(keys_).substr(0, common_bytes_);
    const int c = user_key.substr(0, common_bytes_).compare(common);
    if (c != 0) return c < 0 ? 0 : block_count();
  }
  const uint64_t prefix = order_.Prefix(user_key.substr(common_bytes_));
  const uint64_t* base = prefixes_.data();
  // Without branches: the comparison selects, nothing is predicted.
  for (size_t n = block_count(); n > 1;) {
    const size_t half = n / 2;
    base += base[half - 1] < prefix ? half : 0;
    n -= half;
  }
  size_t low = static_cast<size_t>(base - prefixes_.data()) + (*base < prefix ? 1 : 0);
  size_t high = low;
  for (size_t step = 1; high < block_count() && prefixes_[high] == prefix; step *= 2) {
    high = std::min(block_count(), high + step);
  }
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const std::string_view key = separator(middle);
    int c = prefixes_[middle] != prefix ? 1 : order_.CompareUserKeys(ExtractUserKey(key), user_key);
    if (c == 0) c = ExtractTrailer(key) > trailer ? -1 : 1;
    if (c < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t IndexBlockReader::memory_bytes() const {
  return prefixes_.capacity() * sizeof(uint64_t) + key_ends_.capacity() * sizeof(uint32_t) +
         block_ends_.capacity() * sizeof(uint64_t) + keys_.capacity();
}

}  // namespace siltstone
