#include "engine/wal/log_writer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/random.h"
#include "base/status_macros.h"

namespace siltstone {
namespace {

constexpr uint64_t kGrowthUnitBytes = uint64_t{1} << 20;
// Doubling stops here: a log that grows far beyond its plan should not claim the disk.
constexpr uint64_t kMaxGrowthBytes = uint64_t{64} << 20;
// A larger buffer is given back after its record.
constexpr size_t kKeptBufferBytes = size_t{4} << 20;

constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogWriter>> LogWriter::Create(FileSystem& file_system,
                                                             LogHeader header,
                                                             std::string_view path,
                                                             uint64_t allocated_bytes) {
  header.allocated_bytes = RoundUp(
      std::max(allocated_bytes, kLogHeaderBytes + kAllocationRecordBytes), kRecordAlignment);
  if (header.mask == 0) header.mask = RandomSeed();

  auto file = file_system.CreateLog(path, header.allocated_bytes);
  if (!file.ok()) return file.status();
  SILTSTONE_RETURN_IF_ERROR((*file)->Append(EncodeLogHeader(header)));
  SILTSTONE_RETURN_IF_ERROR((*file)->Sync());
  return std::unique_ptr<LogWriter>(new LogWriter(*std::move(file), header));
}

LogWriter::LogWriter(std::unique_ptr<LogFile> file, const LogHeader& header)
    : file_(std::move(file)),
      header_(header),
      identity_(LogIdentity(header)),
      allocated_bytes_(header.allocated_bytes) {}

absl::Status LogWriter::Append(std::string_view payload, SequenceNumber first_sequence) {
  SILTSTONE_RETURN_IF_ERROR(poisoned_);
  if (payload.size() > kMaxLogPayloadBytes) {
    return absl::InvalidArgumentError(absl::StrCat("log record payload: observed ", payload.size(),
                                                   " bytes, expected at most ",
                                                   kMaxLogPayloadBytes));
  }
  const uint64_t record_bytes = RecordBytes(payload.size());
  if (size_bytes_ + record_bytes + kAllocationRecordBytes > allocated_bytes_) {
    SILTSTONE_RETURN_IF_ERROR(Grow(record_bytes));
  }
  return AppendRecord(RecordType::kData, payload, first_sequence);
}

absl::Status LogWriter::Sync() {
  SILTSTONE_RETURN_IF_ERROR(poisoned_);
  if (synced_bytes_ == size_bytes_) return absl::OkStatus();
  SILTSTONE_RETURN_IF_ERROR(Poison(file_->Sync()));
  synced_bytes_ = size_bytes_;
  return absl::OkStatus();
}

absl::Status LogWriter::Close() {
  const absl::Status closed = file_->Close();
  SILTSTONE_RETURN_IF_ERROR(poisoned_);
  poisoned_ = closed.ok() ? absl::FailedPreconditionError("the log is closed") : closed;
  return closed;
}

absl::Status LogWriter::AppendRecord(RecordType type, std::string_view payload,
                                     SequenceNumber first_sequence) {
  const uint64_t record_bytes = RecordBytes(payload.size());
  SILTSTONE_CHECK(size_bytes_ % kRecordAlignment == 0);
  SILTSTONE_CHECK(size_bytes_ + record_bytes <= allocated_bytes_);
  char* const record = Reserve(record_bytes);
  if (record == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a log record of ", record_bytes, " bytes"));
  }
  char* const body = record + kRecordHeaderBytes;
  MaskBytes(header_.mask, size_bytes_ + kRecordHeaderBytes, payload.data(), payload.size(), body);
  std::memset(body + payload.size(), 0, record_bytes - kRecordHeaderBytes - payload.size());
  record[record_bytes - 1] = static_cast<char>(kEndMark);

  RecordHeader header;
  header.type = type;
  header.payload_bytes = static_cast<uint32_t>(payload.size());
  header.first_sequence = first_sequence;
  header.synced_offset = synced_bytes_;
  header.payload_checksum = BlockChecksum({body, payload.size()}, identity_, size_bytes_);
  EncodeRecordHeader(header, identity_, size_bytes_, record);
  SILTSTONE_DCHECK(CheckRecordBody({record, record_bytes}, header, identity_, size_bytes_).valid());

  SILTSTONE_RETURN_IF_ERROR(Poison(file_->Append({record, record_bytes})));
  size_bytes_ += record_bytes;
  if (buffer_bytes_ > kKeptBufferBytes) {
    buffer_.reset();
    buffer_bytes_ = 0;
  }
  return absl::OkStatus();
}

// The order matters: were the allocation record written first, a crash between the two would leave
// a file shorter than it says it is, which is how a truncated log is recognised. (L12)
absl::Status LogWriter::Grow(uint64_t record_bytes) {
  const uint64_t needed =
      size_bytes_ + kAllocationRecordBytes + record_bytes + kAllocationRecordBytes;
  const uint64_t grown = allocated_bytes_ + std::min(allocated_bytes_, kMaxGrowthBytes);
  const uint64_t new_allocated_bytes = RoundUp(std::max(needed, grown), kGrowthUnitBytes);
  SILTSTONE_RETURN_IF_ERROR(Poison(file_->Allocate(new_allocated_bytes)));
  SILTSTONE_RETURN_IF_ERROR(Poison(file_->Sync()));
  synced_bytes_ = size_bytes_;

  std::string payload;
  AppendFixed64(&payload, new_allocated_bytes);
  SILTSTONE_RETURN_IF_ERROR(AppendRecord(RecordType::kAllocation, payload, 0));
  allocated_bytes_ = new_allocated_bytes;
  return absl::OkStatus();
}

char* LogWriter::Reserve(size_t bytes) {
  if (bytes > buffer_bytes_) {
    buffer_.reset();
    buffer_.reset(new (std::nothrow) char[RoundUp(bytes, 4096)]);
    buffer_bytes_ = buffer_ == nullptr ? 0 : RoundUp(bytes, 4096);
  }
  return buffer_.get();
}

absl::Status LogWriter::Poison(absl::Status status) {
  if (!status.ok() && poisoned_.ok()) poisoned_ = status;
  return status;
}

}  // namespace siltstone
