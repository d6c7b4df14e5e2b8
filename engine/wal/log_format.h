#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "base/checksum.h"
#include "base/internal_key.h"

// The bytes of a log: what WAL and MANIFEST files are made of.
//
// Format (FORMAT.md, "Log"): a header of 96 bytes, records that start at multiples of 8, then
// zeroes up to the allocated size. A record is a header of 40 bytes, the masked payload, zero
// padding and an end mark. The mask makes every 512-byte sector part of a written record
// non-zero, which tells "never written" from "damaged" when the end of a log is judged
// (log_tail.h).

namespace siltstone {

// On disk: never renumber.
enum class LogKind : uint32_t { kWal = 1, kManifest = 2 };

// On disk: never renumber.
enum class RecordType : uint8_t { kData = 1, kAllocation = 2 };

inline constexpr uint32_t kLogVersion = 1;
inline constexpr uint64_t kLogHeaderBytes = 96;
inline constexpr uint64_t kRecordHeaderBytes = 40;
inline constexpr uint64_t kRecordAlignment = 8;
inline constexpr uint64_t kSectorBytes = 512;
inline constexpr uint8_t kEndMark = 0xa5;
// What the length field of a record can say.
inline constexpr uint64_t kMaxLogPayloadBytes = UINT32_MAX;

// A record's whole length on disk. (L4)
inline constexpr uint64_t RecordBytes(uint64_t payload_bytes) {
  const uint64_t used = kRecordHeaderBytes + payload_bytes + 1;
  return (used + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
}
inline constexpr uint64_t kMinRecordBytes = RecordBytes(0);
// An allocation record; the writer always keeps room for one. (L12)
inline constexpr uint64_t kAllocationRecordBytes = RecordBytes(sizeof(uint64_t));

struct LogHeader {
  LogKind kind = LogKind::kWal;
  TableId database_id;
  uint64_t epoch = 0;
  uint64_t number = 0;
  uint64_t predecessor_number = 0;       // 0: there is none
  uint64_t predecessor_sealed_size = 0;  // where the predecessor's valid records end
  uint64_t mask = 0;                     // random; LogWriter::Create draws one where this is 0
  uint64_t allocated_bytes = 0;          // the file is never shorter; set by LogWriter::Create
};

// kLogHeaderBytes bytes.
std::string EncodeLogHeader(const LogHeader& header);
// Checks L1-L3 of bytes that may be anything; DataLoss names the file.
absl::StatusOr<LogHeader> DecodeLogHeader(std::string_view bytes, std::string_view file_name);

// What all record checksums of a log are bound to: its header's checksum (and so database id,
// epoch, number and kind) and its mask.
TableId LogIdentity(const LogHeader& header);

struct RecordHeader {
  RecordType type = RecordType::kData;
  uint32_t payload_bytes = 0;
  SequenceNumber first_sequence = 0;
  uint64_t synced_offset = 0;  // every byte below was durable before this record was written
  uint64_t payload_checksum = 0;
};

// Why the bytes at an offset are no valid record.
enum class RecordFault {
  kNone,
  kNoRoom,  // fewer than kMinRecordBytes are left
  kHeaderChecksum,
  kHeaderFields,  // the checksum is right, but no writer writes such a header
  kBeyondEnd,     // the header is right, the record would end behind the end
  kEndMark,
  kPadding,
  kPayloadChecksum,
};

// A fault with the two values that differ.
struct RecordCheck {
  RecordFault fault = RecordFault::kNone;
  uint64_t observed = 0;
  uint64_t expected = 0;
  RecordHeader header;  // meaningful unless the fault is kNoRoom or one of the header

  bool valid() const { return fault == RecordFault::kNone; }
  bool header_valid() const {
    return fault != RecordFault::kNoRoom && fault != RecordFault::kHeaderChecksum &&
           fault != RecordFault::kHeaderFields;
  }
  // "log record end mark: observed 0x0, expected 0xa5"
  std::string Describe() const;
};

// Writes kRecordHeaderBytes at `out`; `offset` is the record's in the file.
void EncodeRecordHeader(const RecordHeader& header, const TableId& log, uint64_t offset, char* out);
// Checks L5-L6 of the kRecordHeaderBytes at `bytes`.
RecordCheck CheckRecordHeader(const char* bytes, const TableId& log, uint64_t offset);
// Checks L5-L9 of a whole record; REQUIRES: record.size() == RecordBytes(header.payload_bytes), and
// `header` came from CheckRecordHeader.
RecordCheck CheckRecordBody(std::span<const char> record, const RecordHeader& header,
                            const TableId& log, uint64_t offset);

// False for nearly all bytes that are no record header, at the cost of one load.
inline bool MayBeRecordHeader(const char* bytes) {
  uint32_t type_and_zeroes;
  std::memcpy(&type_and_zeroes, bytes + 4, sizeof(type_and_zeroes));
  return type_and_zeroes - 1 <= 1;
}

// Masks, or unmasks, payload bytes that stand at `file_offset`, a multiple of 8; `in` may be
// `out`. (L7)
void MaskBytes(uint64_t mask, uint64_t file_offset, const char* in, size_t count, char* out);

}  // namespace siltstone
