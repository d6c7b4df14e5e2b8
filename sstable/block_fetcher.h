#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

#include "siltstone/file_system.h"

#include "sstable/block.h"
#include "sstable/block_cache.h"
#include "sstable/block_format.h"

namespace siltstone {

// How a read wants to read a table, and what it has cost so far. A plain value; thread-compatible.
struct TableReadContext {
  bool fill_cache = true;
  uint64_t blocks_from_cache = 0;
  uint64_t blocks_from_file = 0;
  uint64_t bytes_from_file = 0;                    // as stored
  std::vector<uint64_t>* block_offsets = nullptr;  // of the blocks looked into; null: not wanted
};

// A stretch of a file that was read ahead: what one iterator keeps between its reads. A plain value.
struct ReadAheadBuffer {
  uint64_t offset = 0;
  std::string bytes;
  uint64_t next_offset = 0;     // where the block after the last one fetched begins
  size_t sequential_reads = 0;  // blocks fetched one behind the other
};

struct BlockFetcherOptions {
  const RandomAccessFile* file = nullptr;  // not owned
  BlockCache* cache = nullptr;             // not owned; null: none
  uint64_t table_uid = 0;
  TableIdentity table;
  uint64_t data_end = 0;             // data blocks lie below
  uint64_t largest_block_bytes = 0;  // S5
};

// Where data blocks come from: the cache, or else the file, from where they are verified, decompressed and,
// if wanted, cached.
//
// Immutable and thread-safe. Cost: a hit is a cache look-up; a miss one read and at most two allocations,
// sized by the file and, after the checksum was right, by the properties.
class BlockFetcher {
 public:
  explicit BlockFetcher(const BlockFetcherOptions& options) : options_(options) {}

  // REQUIRES: the caller holds an EpochGuard, under which a borrowed block stays.
  // DataLoss when the block is damaged; errors of the file as they are.
  absl::Status Fetch(const BlockHandle& handle, TableReadContext& context, BlockRef* block) const {
    if (options_.cache != nullptr) {
      if (const Block* cached = options_.cache->Lookup(options_.table_uid, handle.offset)) {
        ++context.blocks_from_cache;
        if (context.block_offsets != nullptr) context.block_offsets->push_back(handle.offset);
        *block = BlockRef::Borrowed(cached);
        return absl::OkStatus();
      }
    }
    return FetchFromFile(handle, context, nullptr, block);
  }

  // The same for an iterator: the block is owned, no guard is needed, and sequential reads read ahead.
  absl::Status FetchForScan(const BlockHandle& handle, TableReadContext& context,
                            ReadAheadBuffer& ahead, BlockRef* block) const;

  // Reads and checks a block past the cache.
  absl::Status FetchUncached(const BlockHandle& handle, BlockRef* block) const;

  const TableIdentity& table() const { return options_.table; }

 private:
  absl::Status FetchFromFile(const BlockHandle& handle, TableReadContext& context,
                             ReadAheadBuffer* ahead, BlockRef* block) const;
  // Fills `out` from the file or from what was read ahead.
  absl::Status ReadStored(const BlockHandle& handle, ReadAheadBuffer* ahead, char* out) const;
  absl::Status ReadBlock(const BlockHandle& handle, ReadAheadBuffer* ahead, Block** block) const;
  absl::Status Decompress(const BlockHandle& handle, const BlockTrailer& trailer,
                          const char* stored, Block** block) const;

  const BlockFetcherOptions options_;
};

}  // namespace siltstone
