#include "sstable/footer.h"

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {

namespace {

constexpr size_t kZeroOffset = 80;
constexpr size_t kVersionOffset = 84;
constexpr size_t kChecksumOffset = 88;
constexpr size_t kMagicOffset = 96;

std::string HexWord(uint64_t word) { return absl::StrCat("0x", absl::Hex(word, absl::kZeroPad16)); }

BlockHandle LoadHandle(const char* bytes) { return {LoadFixed64(bytes), LoadFixed64(bytes + 8)}; }

bool LiesInOrder(const Footer& footer) {
  const uint64_t end = footer.file_size_bytes - kFooterBytes;
  // Each is at most the file's size before sums are made of them.
  for (const BlockHandle& handle : {footer.filter, footer.index, footer.properties}) {
    if (handle.offset > end || handle.stored_size_bytes > end) return false;
  }
  return footer.tail_size_bytes <= footer.file_size_bytes &&
         footer.filter.offset == footer.tail_start() &&
         footer.index.offset == footer.filter.end() &&
         footer.properties.offset == footer.index.end() && footer.properties.end() == end;
}

// S15.
absl::Status CheckSeal(std::string_view bytes, std::string_view file_name, const BlockHandle& place,
                       TableId* id) {
  const uint64_t magic = LoadFixed64(bytes.data() + kMagicOffset);
  if (magic != kTableMagic) {
    return DamageAt(
        absl::StrCat("table magic: observed ", HexWord(magic), ", expected ", HexWord(kTableMagic)),
        file_name, place);
  }
  *id = {LoadFixed64(bytes.data()), LoadFixed64(bytes.data() + 8)};
  const uint64_t stored = LoadFixed64(bytes.data() + kChecksumOffset);
  const uint64_t computed = BlockChecksum(bytes.substr(0, kChecksumOffset), *id, place.offset);
  if (stored != computed) {
    return DamageAt(absl::StrCat("footer checksum mismatch: stored ", HexWord(stored),
                                 ", computed ", HexWord(computed)),
                    file_name, place);
  }
  const uint32_t version = LoadFixed32(bytes.data() + kVersionOffset);
  if (version != kTableFormatVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("table format version: ", version, ", this build reads version ",
                     kTableFormatVersion, ", in ", ToAbsl(file_name)));
  }
  return absl::OkStatus();
}

}  // namespace

void AppendFooter(std::string* out, const Footer& footer) {
  SILTSTONE_CHECK(LiesInOrder(footer));
  std::string bytes;
  AppendFixed64(&bytes, footer.table_id.high);
  AppendFixed64(&bytes, footer.table_id.low);
  for (const BlockHandle& handle : {footer.filter, footer.index, footer.properties}) {
    AppendFixed64(&bytes, handle.offset);
    AppendFixed64(&bytes, handle.stored_size_bytes);
  }
  AppendFixed64(&bytes, footer.file_size_bytes);
  AppendFixed64(&bytes, footer.tail_size_bytes);
  AppendFixed32(&bytes, 0);
  AppendFixed32(&bytes, kTableFormatVersion);
  SILTSTONE_CHECK(bytes.size() == kChecksumOffset);
  AppendFixed64(&bytes,
                BlockChecksum(bytes, footer.table_id, footer.file_size_bytes - kFooterBytes));
  AppendFixed64(&bytes, kTableMagic);
  out->append(bytes);
}

absl::Status DecodeFooter(std::string_view bytes, uint64_t file_size_bytes,
                          std::string_view file_name, Footer* footer) {
  SILTSTONE_CHECK(bytes.size() == kFooterBytes && file_size_bytes >= kFooterBytes);
  const BlockHandle place{file_size_bytes - kFooterBytes, kFooterBytes};
  SILTSTONE_RETURN_IF_ERROR(CheckSeal(bytes, file_name, place, &footer->table_id));
  footer->filter = LoadHandle(bytes.data() + 16);
  footer->index = LoadHandle(bytes.data() + 32);
  footer->properties = LoadHandle(bytes.data() + 48);
  footer->file_size_bytes = LoadFixed64(bytes.data() + 64);
  footer->tail_size_bytes = LoadFixed64(bytes.data() + 72);
  if (footer->file_size_bytes != file_size_bytes) {
    return DamageAt(absl::StrCat("table size: observed ", file_size_bytes, ", the footer says ",
                                 footer->file_size_bytes),
                    file_name, place);
  }
  if (!LiesInOrder(*footer) || LoadFixed32(bytes.data() + kZeroOffset) != 0) {
    return DamageAt(
        absl::StrCat("footer: tail of ", footer->tail_size_bytes, " bytes, filter at ",
                     footer->filter.offset, " size ", footer->filter.stored_size_bytes,
                     ", index at ", footer->index.offset, " size ", footer->index.stored_size_bytes,
                     ", properties at ", footer->properties.offset, " size ",
                     footer->properties.stored_size_bytes, " do not adjoin"),
        file_name, place);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> FindTailBlock(std::string_view tail, const Footer& footer,
                                               const BlockHandle& handle, BlockKind kind,
                                               std::string_view file_name) {
  SILTSTONE_CHECK(tail.size() == footer.tail_size_bytes);
  const std::string_view stored =
      tail.substr(handle.offset - footer.tail_start(), handle.stored_size_bytes);
  BlockTrailer trailer;
  SILTSTONE_RETURN_IF_ERROR(
      CheckBlock(stored, kind, {footer.table_id, file_name}, handle, &trailer));
  return stored.substr(0, trailer.content_size_bytes);
}

}  // namespace siltstone
