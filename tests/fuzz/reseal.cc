#include "tests/fuzz/reseal.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/checksum.h"
#include "base/coding.h"
#include "engine/wal/log_format.h"
#include "filter/filter_block.h"
#include "filter/filter_file.h"
#include "sstable/block_format.h"
#include "sstable/footer.h"
#include "sstable/index_block.h"

namespace siltstone::fuzz {

namespace {

// The last 8 bytes become the checksum of all before them.
void ResealEnd(std::string* bytes) {
  if (bytes->size() < sizeof(uint64_t)) return;
  const size_t covered = bytes->size() - sizeof(uint64_t);
  StoreFixed64(&(*bytes)[covered], Checksum64({bytes->data(), covered}));
}

// --- logs: places of FORMAT.md, "Log" ---

constexpr size_t kLogChecksumAt = kLogHeaderBytes - 8, kLogMaskAt = 64;

// The record at `offset`, with as much payload as it says and as there is room for; gives where the next would begin.
uint64_t ResealRecord(const TableId& identity, uint64_t offset, std::string* log) {
  char* const head = log->data() + offset;
  const uint64_t room = log->size() - offset - kMinRecordBytes;
  const RecordHeader header{.type = static_cast<RecordType>(head[4]),
                            .payload_bytes = LoadFixed32(head + 8),
                            .first_sequence = LoadFixed64(head + 16),
                            .synced_offset = std::min(LoadFixed64(head + 24), offset)};
  if (header.payload_bytes > room) return log->size();
  RecordHeader sealed = header;
  sealed.payload_checksum =
      BlockChecksum({head + kRecordHeaderBytes, header.payload_bytes}, identity, offset);
  EncodeRecordHeader(sealed, identity, offset, head);
  const uint64_t end = offset + RecordBytes(header.payload_bytes);
  if (end > log->size()) return end;
  const uint64_t payload_end = offset + kRecordHeaderBytes + header.payload_bytes;
  std::fill(log->begin() + static_cast<ptrdiff_t>(payload_end),
            log->begin() + static_cast<ptrdiff_t>(end), '\0');
  (*log)[end - 1] = static_cast<char>(kEndMark);
  return end;
}

// --- tables: places of FORMAT.md, "Footer" and "Block" ---

constexpr size_t kFooterChecksumAt = 88;

bool LiesWithin(const BlockHandle& handle, const std::string& bytes) {
  return handle.stored_size_bytes >= kBlockTrailerBytes && handle.offset <= bytes.size() &&
         handle.stored_size_bytes <= bytes.size() - handle.offset;
}

void ResealBlock(const BlockHandle& handle, const TableId& id, std::string* table) {
  if (!LiesWithin(handle, *table)) return;
  const size_t covered = handle.stored_size_bytes - sizeof(uint64_t);
  StoreFixed64(&(*table)[handle.offset + covered],
               BlockChecksum({table->data() + handle.offset, covered}, id, handle.offset));
}

std::string_view ContentsOf(const BlockHandle& handle, const std::string& table) {
  return std::string_view(table).substr(handle.offset,
                                        handle.stored_size_bytes - kBlockTrailerBytes);
}

void ResealDataBlocks(const BlockHandle& index_handle, const TableId& id, uint64_t data_end,
                      std::string* table) {
  if (!LiesWithin(index_handle, *table)) return;
  const KeyOrder order(BytewiseComparator());
  IndexBlockReader index(order);
  if (!IndexBlockReader::Decode(ContentsOf(index_handle, *table), order, data_end, &index).ok()) {
    return;
  }
  for (size_t i = 0; i < index.block_count(); ++i) ResealBlock(index.handle(i), id, table);
}

}  // namespace

void ResealFilterBlock(std::string* block) { ResealEnd(block); }

void ResealFilterFile(std::string* file) {
  constexpr size_t kAround = kFilterFileHeaderBytes + kFilterFileChecksumBytes;
  if (file->size() > kAround) {
    std::string payload = file->substr(kFilterFileHeaderBytes, file->size() - kAround);
    if (payload.size() >= 4 && LoadFixed32(payload.data()) == kFilterMagic) {
      ResealFilterBlock(&payload);
      file->replace(kFilterFileHeaderBytes, payload.size(), payload);
    }
  }
  ResealEnd(file);
}

void ResealLog(std::string* log) {
  if (log->size() < kLogHeaderBytes) return;
  const uint64_t checksum = Checksum64({log->data(), kLogChecksumAt});
  StoreFixed64(log->data() + kLogChecksumAt, checksum);
  const TableId identity{checksum, LoadFixed64(log->data() + kLogMaskAt)};
  for (uint64_t offset = kLogHeaderBytes; offset + kMinRecordBytes <= log->size();) {
    // No record was ever written here.
    if (LoadFixed64(log->data() + offset) == 0) return;
    offset = ResealRecord(identity, offset, log);
  }
}

void ResealTable(std::string* table) {
  if (table->size() < kFooterBytes) return;
  const size_t start = table->size() - kFooterBytes;
  char* const footer = table->data() + start;
  const TableId id{LoadFixed64(footer), LoadFixed64(footer + 8)};
  const auto handle = [&](size_t at) {
    return BlockHandle{LoadFixed64(footer + at), LoadFixed64(footer + at + 8)};
  };
  const BlockHandle filter = handle(16), index = handle(32), properties = handle(48);
  ResealDataBlocks(index, id, filter.offset, table);
  if (LiesWithin(filter, *table)) {
    std::string block(ContentsOf(filter, *table));
    ResealFilterBlock(&block);
    table->replace(filter.offset, block.size(), block);
  }
  for (const BlockHandle& part : {filter, index, properties}) ResealBlock(part, id, table);
  StoreFixed64(&(*table)[start + kFooterChecksumAt],
               BlockChecksum({table->data() + start, kFooterChecksumAt}, id, start));
}

// XXH3 without a seed is what Checksum64 is (FORMAT.md, X6).
void ResealExport(std::string* stream) { ResealEnd(stream); }

}  // namespace siltstone::fuzz
