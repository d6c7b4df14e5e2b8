#include "sstable/block_format.h"

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/to_absl.h"

namespace siltstone {

namespace {

constexpr size_t kChecksumBytes = 8;
constexpr size_t kMaxCompressionRatio = 255;

std::string HexWord(uint64_t word) { return absl::StrCat("0x", absl::Hex(word, absl::kZeroPad16)); }

}  // namespace

absl::Status DamageAt(std::string_view what, std::string_view file_name, const BlockHandle& place) {
  return absl::DataLossError(absl::StrCat(ToAbsl(what), ", in ", ToAbsl(file_name), " at offset ",
                                          place.offset, " size ", place.stored_size_bytes));
}

void SealBlock(std::string* contents, BlockKind kind, Compression compression,
               size_t uncompressed_size_bytes, const TableId& id, uint64_t offset) {
  SILTSTONE_CHECK(contents->size() <= kMaxBlockContentBytes);
  SILTSTONE_CHECK(uncompressed_size_bytes <= kMaxBlockContentBytes);
  SILTSTONE_DCHECK(compression != Compression::kNone ||
                   contents->size() == uncompressed_size_bytes);
  AppendFixed32(contents, static_cast<uint32_t>(uncompressed_size_bytes));
  contents->push_back(static_cast<char>(compression));
  contents->push_back(static_cast<char>(kind));
  contents->append(2, '\0');
  AppendFixed64(contents, BlockChecksum(*contents, id, offset));
}

absl::Status CheckBlock(std::string_view stored, BlockKind kind, const TableIdentity& table,
                        const BlockHandle& handle, BlockTrailer* trailer) {
  SILTSTONE_CHECK(stored.size() == handle.stored_size_bytes);
  if (stored.size() < kBlockTrailerBytes) {
    return DamageAt(
        absl::StrCat("block size: ", stored.size(), ", expected at least ", kBlockTrailerBytes),
        table.file_name, handle);
  }
  const std::string_view covered = stored.substr(0, stored.size() - kChecksumBytes);
  const uint64_t expected = LoadFixed64(covered.data() + covered.size());
  const uint64_t computed = BlockChecksum(covered, table.id, handle.offset);
  if (expected != computed) {
    return DamageAt(absl::StrCat("block checksum mismatch: stored ", HexWord(expected),
                                 ", computed ", HexWord(computed)),
                    table.file_name, handle);
  }
  trailer->content_size_bytes = stored.size() - kBlockTrailerBytes;
  const char* fields = stored.data() + trailer->content_size_bytes;
  trailer->uncompressed_size_bytes = LoadFixed32(fields);
  const auto compression = static_cast<uint8_t>(fields[4]);
  const auto stored_kind = static_cast<uint8_t>(fields[5]);
  if (stored_kind != static_cast<uint8_t>(kind)) {
    return DamageAt(
        absl::StrCat("block kind: ", stored_kind, ", expected ", static_cast<int>(kind)),
        table.file_name, handle);
  }
  const bool lz4_allowed = kind == BlockKind::kData;
  if (compression > (lz4_allowed ? 1 : 0) || fields[6] != 0 || fields[7] != 0) {
    return DamageAt(
        absl::StrCat("block compression: ", compression, " (reserved ", fields[6] | fields[7],
                     "), expected ", lz4_allowed ? "0 or 1" : "0"),
        table.file_name, handle);
  }
  trailer->compression = static_cast<Compression>(compression);
  const bool plausible =
      trailer->compression == Compression::kNone
          ? trailer->uncompressed_size_bytes == trailer->content_size_bytes
          : trailer->uncompressed_size_bytes <= kMaxCompressionRatio * trailer->content_size_bytes;
  if (!plausible) {
    return DamageAt(absl::StrCat("uncompressed block size: ", trailer->uncompressed_size_bytes,
                                 ", impossible for ", trailer->content_size_bytes, " bytes"),
                    table.file_name, handle);
  }
  return absl::OkStatus();
}

}  // namespace siltstone
