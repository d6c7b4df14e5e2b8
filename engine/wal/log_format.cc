#include "engine/wal/log_format.h"

#include <cstring>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/to_absl.h"

namespace siltstone {
namespace {

constexpr char kMagic[] = "SiltLog\n";  // 8 bytes, as they stand in the file
constexpr uint64_t kMagicBytes = 8;
constexpr uint64_t kHeaderChecksumAt = 88;
// Fractional bits of the golden ratio: odd, so that the mask words of 2^64 positions all differ.
constexpr uint64_t kMaskStep = 0x9e3779b97f4a7c15;

std::string Hex(uint64_t value) { return absl::StrCat("0x", absl::Hex(value)); }

absl::Status HeaderLoss(std::string_view what, std::string_view observed, std::string_view expected,
                        std::string_view file_name) {
  return absl::DataLossError(absl::StrCat(
      "log header ", ToAbsl(what), ": observed ", ToAbsl(observed), ", expected ", ToAbsl(expected),
      ", in ", ToAbsl(file_name), " at offset 0 size ", kLogHeaderBytes));
}

uint32_t RecordHeaderChecksum(const char* bytes, const TableId& log, uint64_t offset) {
  return static_cast<uint32_t>(BlockChecksum({bytes + 4, kRecordHeaderBytes - 4}, log, offset));
}

RecordCheck Fault(RecordFault fault, uint64_t observed, uint64_t expected,
                  const RecordHeader& header = {}) {
  RecordCheck check;
  check.fault = fault;
  check.observed = observed;
  check.expected = expected;
  check.header = header;
  return check;
}

}  // namespace

std::string EncodeLogHeader(const LogHeader& header) {
  std::string bytes(kMagic, kMagicBytes);
  AppendFixed32(&bytes, kLogVersion);
  AppendFixed32(&bytes, static_cast<uint32_t>(header.kind));
  AppendFixed64(&bytes, header.database_id.high);
  AppendFixed64(&bytes, header.database_id.low);
  AppendFixed64(&bytes, header.epoch);
  AppendFixed64(&bytes, header.number);
  AppendFixed64(&bytes, header.predecessor_number);
  AppendFixed64(&bytes, header.predecessor_sealed_size);
  AppendFixed64(&bytes, header.mask);
  AppendFixed64(&bytes, header.allocated_bytes);
  AppendFixed64(&bytes, 0);
  AppendFixed64(&bytes, Checksum64(bytes));
  SILTSTONE_CHECK(bytes.size() == kLogHeaderBytes);
  return bytes;
}

absl::StatusOr<LogHeader> DecodeLogHeader(std::string_view bytes, std::string_view file_name) {
  if (bytes.size() < kLogHeaderBytes) {
    return HeaderLoss("size", std::to_string(bytes.size()), std::to_string(kLogHeaderBytes),
                      file_name);
  }
  if (bytes.substr(0, kMagicBytes) != std::string_view(kMagic, kMagicBytes)) {
    return HeaderLoss("magic", Hex(LoadFixed64(bytes.data())), Hex(LoadFixed64(kMagic)), file_name);
  }
  const uint64_t stored = LoadFixed64(bytes.data() + kHeaderChecksumAt);
  const uint64_t computed = Checksum64(bytes.substr(0, kHeaderChecksumAt));
  if (stored != computed) return HeaderLoss("checksum", Hex(stored), Hex(computed), file_name);

  Decoder decoder(bytes.substr(kMagicBytes, kHeaderChecksumAt - kMagicBytes));
  LogHeader header;
  uint32_t version = 0, kind = 0;
  uint64_t reserved = 0;
  const bool whole =
      decoder.Fixed32(&version) && decoder.Fixed32(&kind) &&
      decoder.Fixed64(&header.database_id.high) && decoder.Fixed64(&header.database_id.low) &&
      decoder.Fixed64(&header.epoch) && decoder.Fixed64(&header.number) &&
      decoder.Fixed64(&header.predecessor_number) &&
      decoder.Fixed64(&header.predecessor_sealed_size) && decoder.Fixed64(&header.mask) &&
      decoder.Fixed64(&header.allocated_bytes) && decoder.Fixed64(&reserved);
  SILTSTONE_NEVER(!whole, "log header fields do not fill the log header");
  if (version != kLogVersion) {
    return HeaderLoss("version", std::to_string(version), std::to_string(kLogVersion), file_name);
  }
  if (kind != 1 && kind != 2) return HeaderLoss("kind", std::to_string(kind), "1 or 2", file_name);
  if (reserved != 0) return HeaderLoss("reserved field", Hex(reserved), "0", file_name);
  header.kind = static_cast<LogKind>(kind);
  return header;
}

TableId LogIdentity(const LogHeader& header) {
  return {LoadFixed64(EncodeLogHeader(header).data() + kHeaderChecksumAt), header.mask};
}

std::string RecordCheck::Describe() const {
  const auto values = [this](const char* what) {
    return absl::StrCat("log record ", what, ": observed ", Hex(observed), ", expected ",
                        Hex(expected));
  };
  const auto mismatch = [this](const char* what) {
    return absl::StrCat("log record ", what, " mismatch: stored ", Hex(observed), ", computed ",
                        Hex(expected));
  };
  switch (fault) {
    case RecordFault::kNone:
      return "log record is valid";
    case RecordFault::kNoRoom:
      return absl::StrCat("log record room: observed ", observed, " bytes, expected at least ",
                          expected);
    case RecordFault::kHeaderChecksum:
      return mismatch("header checksum");
    case RecordFault::kHeaderFields:
      return values("header field");
    case RecordFault::kBeyondEnd:
      return absl::StrCat("log record end: observed ", observed, ", expected at most ", expected);
    case RecordFault::kEndMark:
      return values("end mark");
    case RecordFault::kPadding:
      return values("padding");
    case RecordFault::kPayloadChecksum:
      return mismatch("payload checksum");
  }
  return "log record fault";
}

void EncodeRecordHeader(const RecordHeader& header, const TableId& log, uint64_t offset,
                        char* out) {
  std::memset(out, 0, kRecordHeaderBytes);
  out[4] = static_cast<char>(header.type);
  StoreFixed32(out + 8, header.payload_bytes);
  StoreFixed64(out + 16, header.first_sequence);
  StoreFixed64(out + 24, header.synced_offset);
  StoreFixed64(out + 32, header.payload_checksum);
  StoreFixed32(out, RecordHeaderChecksum(out, log, offset));
}

RecordCheck CheckRecordHeader(const char* bytes, const TableId& log, uint64_t offset) {
  const uint32_t stored = LoadFixed32(bytes);
  const uint32_t computed = RecordHeaderChecksum(bytes, log, offset);
  if (stored != computed) return Fault(RecordFault::kHeaderChecksum, stored, computed);

  const uint32_t type = LoadFixed32(bytes + 4);  // with its three zero bytes
  if (type != 1 && type != 2) return Fault(RecordFault::kHeaderFields, type, 1);
  if (LoadFixed32(bytes + 12) != 0)
    return Fault(RecordFault::kHeaderFields, LoadFixed32(bytes + 12), 0);
  RecordHeader header;
  header.type = static_cast<RecordType>(type);
  header.payload_bytes = LoadFixed32(bytes + 8);
  header.first_sequence = LoadFixed64(bytes + 16);
  header.synced_offset = LoadFixed64(bytes + 24);
  header.payload_checksum = LoadFixed64(bytes + 32);
  if (header.synced_offset > offset) {
    return Fault(RecordFault::kHeaderFields, header.synced_offset, offset);
  }
  if (header.type == RecordType::kAllocation && header.payload_bytes != sizeof(uint64_t)) {
    return Fault(RecordFault::kHeaderFields, header.payload_bytes, sizeof(uint64_t));
  }
  RecordCheck check;
  check.header = header;
  return check;
}

RecordCheck CheckRecordBody(std::span<const char> record, const RecordHeader& header,
                            const TableId& log, uint64_t offset) {
  SILTSTONE_CHECK(record.size() == RecordBytes(header.payload_bytes));
  const uint8_t mark = static_cast<uint8_t>(record.back());
  if (mark != kEndMark) return Fault(RecordFault::kEndMark, mark, kEndMark, header);
  for (size_t i = kRecordHeaderBytes + header.payload_bytes; i + 1 < record.size(); ++i) {
    if (record[i] != 0) {
      return Fault(RecordFault::kPadding, static_cast<uint8_t>(record[i]), 0, header);
    }
  }
  const std::string_view payload(record.data() + kRecordHeaderBytes, header.payload_bytes);
  const uint64_t computed = BlockChecksum(payload, log, offset);
  if (computed != header.payload_checksum) {
    return Fault(RecordFault::kPayloadChecksum, header.payload_checksum, computed, header);
  }
  return Fault(RecordFault::kNone, 0, 0, header);
}

void MaskBytes(uint64_t mask, uint64_t file_offset, const char* in, size_t count, char* out) {
  SILTSTONE_DCHECK(file_offset % sizeof(uint64_t) == 0);
  uint64_t mask_word = mask + file_offset / sizeof(uint64_t) * kMaskStep;
  size_t done = 0;
  for (; done + sizeof(uint64_t) <= count; done += sizeof(uint64_t)) {
    StoreFixed64(out + done, LoadFixed64(in + done) ^ mask_word);
    mask_word += kMaskStep;
  }
  for (; done < count; ++done) {
    out[done] = static_cast<char>(in[done] ^ static_cast<char>(mask_word));
    mask_word >>= 8;
  }
}

}  // namespace siltstone
