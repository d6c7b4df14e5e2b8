#include "sstable/block_fetcher.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lz4.h"

#include "base/check.h"
#include "base/epoch.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {

namespace {

// After this many blocks in a row an iterator reads ahead, twice as much each time.
constexpr size_t kSequentialReadsBeforeReadAhead = 2;
constexpr uint64_t kMinReadAheadBytes = uint64_t{32} << 10;
constexpr uint64_t kMaxReadAheadBytes = uint64_t{256} << 10;

// Adds the place of a block to an error that has none.
absl::Status AtBlock(const absl::Status& status, const TableIdentity& table,
                     const BlockHandle& handle) {
  return DamageAt(FromAbsl(status.message()), table.file_name, handle);
}

}  // namespace

absl::Status BlockFetcher::FetchForScan(const BlockHandle& handle, TableReadContext& context,
                                        ReadAheadBuffer& ahead, BlockRef* block) const {
  ahead.sequential_reads = handle.offset == ahead.next_offset ? ahead.sequential_reads + 1 : 0;
  ahead.next_offset = handle.end();
  if (options_.cache != nullptr) {
    EpochGuard guard;
    if (const Block* cached = options_.cache->Lookup(options_.table_uid, handle.offset)) {
      ++context.blocks_from_cache;
      *block = BlockRef::Borrowed(cached);
      block->Own();
      return absl::OkStatus();
    }
  }
  return FetchFromFile(handle, context, &ahead, block);
}

absl::Status BlockFetcher::FetchUncached(const BlockHandle& handle, BlockRef* block) const {
  Block* read = nullptr;
  SILTSTONE_RETURN_IF_ERROR(ReadBlock(handle, nullptr, &read));
  *block = BlockRef::Owned(read);
  return absl::OkStatus();
}

absl::Status BlockFetcher::FetchFromFile(const BlockHandle& handle, TableReadContext& context,
                                         ReadAheadBuffer* ahead, BlockRef* block) const {
  ++context.blocks_from_file;
  context.bytes_from_file += handle.stored_size_bytes;
  if (context.block_offsets != nullptr) context.block_offsets->push_back(handle.offset);
  Block* read = nullptr;
  SILTSTONE_RETURN_IF_ERROR(ReadBlock(handle, ahead, &read));
  *block = BlockRef::Owned(read);
  if (options_.cache != nullptr && context.fill_cache) {
    options_.cache->Insert(options_.table_uid, handle.offset, read);
  }
  return absl::OkStatus();
}

absl::Status BlockFetcher::ReadStored(const BlockHandle& handle, ReadAheadBuffer* ahead,
                                      char* out) const {
  const std::span<char> whole(out, handle.stored_size_bytes);
  if (ahead == nullptr) return options_.file->Read(handle.offset, whole);
  const bool ahead_has_it =
      handle.offset >= ahead->offset && handle.end() <= ahead->offset + ahead->bytes.size();
  if (!ahead_has_it) {
    if (ahead->sequential_reads < kSequentialReadsBeforeReadAhead ||
        handle.stored_size_bytes >= kMaxReadAheadBytes) {
      return options_.file->Read(handle.offset, whole);
    }
    const uint64_t wanted =
        std::clamp<uint64_t>(2 * ahead->bytes.size(), kMinReadAheadBytes, kMaxReadAheadBytes);
    const uint64_t end =
        std::max(handle.end(), std::min(handle.offset + wanted, options_.data_end));
    ahead->bytes.resize(end - handle.offset);
    ahead->offset = handle.offset;
    const absl::Status status = options_.file->Read(handle.offset, ahead->bytes);
    if (!status.ok()) {
      ahead->bytes.clear();
      return status;
    }
  }
  std::memcpy(out, ahead->bytes.data() + (handle.offset - ahead->offset), handle.stored_size_bytes);
  return absl::OkStatus();
}

absl::Status BlockFetcher::ReadBlock(const BlockHandle& handle, ReadAheadBuffer* ahead,
                                     Block** block) const {
  SILTSTONE_DCHECK(handle.end() <= options_.data_end);
  Block* const stored = Block::Create(handle.stored_size_bytes);
  BlockRef keeper = BlockRef::Owned(stored);
  SILTSTONE_RETURN_IF_ERROR(ReadStored(handle, ahead, stored->mutable_bytes()));
  BlockTrailer trailer;
  SILTSTONE_RETURN_IF_ERROR(CheckBlock({stored->bytes(), handle.stored_size_bytes},
                                       BlockKind::kData, options_.table, handle, &trailer));
  if (trailer.compression == Compression::kLz4) {
    return Decompress(handle, trailer, stored->bytes(), block);
  }
  if (const absl::Status status = stored->Seal(trailer.content_size_bytes); !status.ok()) {
    return AtBlock(status, options_.table, handle);
  }
  keeper.Release();
  *block = stored;
  return absl::OkStatus();
}

absl::Status BlockFetcher::Decompress(const BlockHandle& handle, const BlockTrailer& trailer,
                                      const char* stored, Block** block) const {
  const uint64_t limit = std::min<uint64_t>(options_.largest_block_bytes, LZ4_MAX_INPUT_SIZE);
  if (trailer.uncompressed_size_bytes > limit || trailer.content_size_bytes > limit) {
    return DamageAt(absl::StrCat("uncompressed block size: ", trailer.uncompressed_size_bytes,
                                 ", at most ", limit, " in this table"),
                    options_.table.file_name, handle);
  }
  Block* const fresh = Block::Create(trailer.uncompressed_size_bytes);
  BlockRef keeper = BlockRef::Owned(fresh);
  const int size = LZ4_decompress_safe(stored, fresh->mutable_bytes(),
                                       static_cast<int>(trailer.content_size_bytes),
                                       static_cast<int>(trailer.uncompressed_size_bytes));
  if (size < 0 || static_cast<size_t>(size) != trailer.uncompressed_size_bytes) {
    return DamageAt(absl::StrCat("LZ4 block: yields ", size, ", expected ",
                                 trailer.uncompressed_size_bytes, " bytes"),
                    options_.table.file_name, handle);
  }
  if (const absl::Status status = fresh->Seal(trailer.uncompressed_size_bytes); !status.ok()) {
    return AtBlock(status, options_.table, handle);
  }
  keeper.Release();
  *block = fresh;
  return absl::OkStatus();
}

}  // namespace siltstone
