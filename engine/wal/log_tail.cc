#include "engine/wal/log_tail.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/coding.h"
#include "base/status_macros.h"

namespace siltstone {
namespace {

// The last byte of a larger record is looked at before memory is taken for all of it.
constexpr uint64_t kLargeRecordBytes = uint64_t{4} << 20;

// Number of bytes up to and with the last that is not zero.
size_t UsedBytes(std::span<const char> bytes) {
  size_t used = bytes.size();
  while (used >= sizeof(uint64_t) && LoadFixed64(bytes.data() + used - sizeof(uint64_t)) == 0) {
    used -= sizeof(uint64_t);
  }
  while (used > 0 && bytes[used - 1] == 0) --used;
  return used;
}

absl::StatusOr<uint64_t> EndOfBytes(LogWindow& window, uint64_t from) {
  uint64_t end = from;
  for (uint64_t offset = from; offset < window.limit();) {
    auto chunk = window.ViewChunk(offset);
    if (!chunk.ok()) return chunk.status();
    const size_t used = UsedBytes(*chunk);
    if (used > 0) end = offset + used;
    offset += chunk->size();
  }
  return end;
}

// True when a part of `bytes`, clipped to the 512-byte sectors of the file, is zero throughout: a
// sector that never reached the disk.
bool LacksSector(std::span<const char> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const size_t part = std::min<size_t>(bytes.size(), kSectorBytes - offset % kSectorBytes);
    if (UsedBytes(bytes.first(part)) == 0) return true;
    bytes = bytes.subspan(part);
    offset += part;
  }
  return false;
}

// The bytes from `offset` on, at least `count`, to the end of a sector or of the window. A sector holds what was
// written into it in order: where a later byte is there, an earlier one that is not was lost.
absl::StatusOr<std::span<char>> ViewSectors(LogWindow& window, uint64_t offset, uint64_t count) {
  const uint64_t sectors = (offset + count + kSectorBytes - 1) / kSectorBytes;
  return window.View(offset, std::min(window.limit(), sectors * kSectorBytes) - offset);
}

// The record with a fault at `offset` is all there (L16), so that no interrupted write explains
// the fault.
absl::StatusOr<bool> IsComplete(LogWindow& window, uint64_t offset, const RecordCheck& check,
                                uint64_t end_of_bytes) {
  if (check.fault == RecordFault::kNoRoom || check.fault == RecordFault::kBeyondEnd) return false;
  const auto header = ViewSectors(window, offset, kRecordHeaderBytes);
  if (!header.ok()) return header.status();
  if (LacksSector(*header, offset)) return false;
  // A write cut inside the header leaves zeroes from there to the end of the file.
  if (!check.header_valid()) return end_of_bytes >= offset + kRecordHeaderBytes;

  const uint64_t record_bytes = RecordBytes(check.header.payload_bytes);
  const auto end_mark = ViewSectors(window, offset + record_bytes - 1, 1);
  if (!end_mark.ok()) return end_mark.status();
  if (UsedBytes(*end_mark) == 0) return false;
  const auto record = ViewSectors(window, offset, record_bytes);
  if (!record.ok()) return record.status();
  return !LacksSector(*record, offset);
}

}  // namespace

absl::StatusOr<RecordCheck> ReadRecord(LogWindow& window, const TableId& log, uint64_t offset,
                                       std::span<char>* bytes) {
  SILTSTONE_CHECK(offset % kRecordAlignment == 0 && offset <= window.limit());
  const uint64_t room = window.limit() - offset;
  RecordCheck check;
  if (room < kMinRecordBytes) {
    check.fault = RecordFault::kNoRoom;
    check.observed = room;
    check.expected = kMinRecordBytes;
    return check;
  }
  auto header = window.View(offset, kRecordHeaderBytes);
  if (!header.ok()) return header.status();
  check = CheckRecordHeader(header->data(), log, offset);
  if (!check.valid()) return check;

  const uint64_t record_bytes = RecordBytes(check.header.payload_bytes);
  if (record_bytes > room) {
    check.fault = RecordFault::kBeyondEnd;
    check.observed = offset + record_bytes;
    check.expected = window.limit();
    return check;
  }
  char looked_at[kRecordHeaderBytes];
  std::memcpy(looked_at, header->data(), sizeof(looked_at));
  if (record_bytes > kLargeRecordBytes) {
    auto last = window.View(offset + record_bytes - 1, 1);
    if (!last.ok()) return last.status();
    if (static_cast<uint8_t>(last->front()) != kEndMark) {
      check.fault = RecordFault::kEndMark;
      check.observed = static_cast<uint8_t>(last->front());
      check.expected = kEndMark;
      return check;
    }
  }
  auto record = window.View(offset, record_bytes);
  if (!record.ok()) return record.status();
  // The header may just have been read a second time, from a file that changed.
  if (std::memcmp(record->data(), looked_at, sizeof(looked_at)) != 0) {
    check.fault = RecordFault::kHeaderFields;
    return check;
  }
  *bytes = *record;
  return CheckRecordBody(*record, check.header, log, offset);
}

absl::Status ScanRecordHeaders(
    LogWindow& window, const TableId& log, uint64_t from, uint64_t to,
    absl::FunctionRef<bool(uint64_t offset, const RecordHeader&)> visit) {
  SILTSTONE_CHECK(from % kRecordAlignment == 0 && to <= window.limit());
  for (uint64_t offset = from; offset < to;) {
    auto chunk = window.ViewChunk(offset);
    if (!chunk.ok()) return chunk.status();
    size_t i = 0;
    for (; i + kRecordHeaderBytes <= chunk->size() && offset + i < to; i += kRecordAlignment) {
      if (!MayBeRecordHeader(chunk->data() + i)) continue;
      const RecordCheck check = CheckRecordHeader(chunk->data() + i, log, offset + i);
      if (check.valid() && !visit(offset + i, check.header)) return absl::OkStatus();
    }
    if (i == 0) break;  // less than a header is left
    offset += i;
  }
  return absl::OkStatus();
}

absl::StatusOr<TailVerdict> JudgeTail(LogWindow& window, const TableId& log, uint64_t offset,
                                      const RecordCheck& check) {
  SILTSTONE_CHECK(!check.valid());
  TailVerdict verdict;
  const auto end_of_bytes = EndOfBytes(window, offset);
  if (!end_of_bytes.ok()) return end_of_bytes.status();
  verdict.end_of_bytes = *end_of_bytes;
  if (verdict.end_of_bytes == offset) return verdict;

  SILTSTONE_RETURN_IF_ERROR(
      ScanRecordHeaders(window, log, offset + kRecordAlignment, verdict.end_of_bytes,
                        [&](uint64_t later, const RecordHeader& header) {
                          if (header.synced_offset <= offset) return true;
                          verdict.witness_offset = later;
                          verdict.witness_synced_offset = header.synced_offset;
                          return false;
                        }));
  if (verdict.witness_offset != 0) {
    verdict.end = LogEnd::kDamaged;
    return verdict;
  }
  const auto complete = IsComplete(window, offset, check, verdict.end_of_bytes);
  if (!complete.ok()) return complete.status();
  verdict.end = *complete ? LogEnd::kDamaged : LogEnd::kTorn;
  return verdict;
}

}  // namespace siltstone
