#include "engine/wal/log_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {
namespace {

absl::Status IdentityLoss(std::string_view what, const std::string& observed,
                          const std::string& expected, std::string_view file_name) {
  return absl::DataLossError(absl::StrCat("log ", ToAbsl(what), ": observed ", observed,
                                          ", expected ", expected, ", in ", ToAbsl(file_name),
                                          " at offset 0 size ", kLogHeaderBytes));
}

absl::Status CheckIdentity(const LogHeader& header, const LogExpectation& expectation,
                           std::string_view file_name) {
  if (header.kind != expectation.kind) {
    return IdentityLoss("kind", std::to_string(static_cast<uint32_t>(header.kind)),
                        std::to_string(static_cast<uint32_t>(expectation.kind)), file_name);
  }
  if (!expectation.database_id.is_zero() && header.database_id != expectation.database_id) {
    return IdentityLoss("database id", header.database_id.ToHex(), expectation.database_id.ToHex(),
                        file_name);
  }
  if (header.epoch != expectation.epoch) {
    return IdentityLoss("epoch", std::to_string(header.epoch), std::to_string(expectation.epoch),
                        file_name);
  }
  if (header.number != expectation.number) {
    return IdentityLoss("number", std::to_string(header.number), std::to_string(expectation.number),
                        file_name);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogReader>> LogReader::Open(std::unique_ptr<RandomAccessFile> file,
                                                           std::string_view file_name,
                                                           const LogExpectation& expectation,
                                                           const LogReadOptions& options) {
  std::string encoded(std::min(file->size_bytes(), kLogHeaderBytes), '\0');
  SILTSTONE_RETURN_IF_ERROR(file->Read(0, encoded));
  const auto header = DecodeLogHeader(encoded, file_name);
  if (!header.ok()) return header.status();
  SILTSTONE_RETURN_IF_ERROR(CheckIdentity(*header, expectation, file_name));

  if (expectation.sealed_size.value_or(kLogHeaderBytes) < kLogHeaderBytes) {
    return IdentityLoss("sealed size", std::to_string(*expectation.sealed_size),
                        absl::StrCat("at least ", kLogHeaderBytes), file_name);
  }

  auto reader = std::unique_ptr<LogReader>(
      new LogReader(std::move(file), file_name, *header, expectation, options));
  const uint64_t required =
      expectation.sealed_size.value_or(std::max(expectation.minimum_size, header->allocated_bytes));
  SILTSTONE_RETURN_IF_ERROR(reader->CheckFileSize(required));
  return reader;
}

LogReader::LogReader(std::unique_ptr<RandomAccessFile> file, std::string_view file_name,
                     const LogHeader& header, const LogExpectation& expectation,
                     const LogReadOptions& options)
    : file_name_(file_name),
      header_(header),
      identity_(LogIdentity(header)),
      options_(options),
      file_size_bytes_(file->size_bytes()),
      sealed_size_(expectation.sealed_size),
      // A sealed log is its first bytes, and nothing behind them counts. (L19)
      window_(std::move(file), std::min(file_size_bytes_, sealed_size_.value_or(file_size_bytes_))),
      allocated_bytes_(header.allocated_bytes) {}

absl::StatusOr<bool> LogReader::Next(LogRecord* record) {
  while (!end_.has_value()) {
    std::span<char> bytes;
    const auto check = ReadRecord(window_, identity_, next_offset_, &bytes);
    if (!check.ok()) return Finish(check.status());
    if (!check->valid()) {
      const auto look_again = SettleFault(*check);
      if (!look_again.ok() || !*look_again) return Finish(look_again);
      continue;
    }
    const uint64_t offset = next_offset_;
    const std::span<char> payload = bytes.subspan(kRecordHeaderBytes, check->header.payload_bytes);
    MaskBytes(header_.mask, offset + kRecordHeaderBytes, payload.data(), payload.size(),
              payload.data());
    next_offset_ += bytes.size();
    looks_ = 0;
    if (check->header.type == RecordType::kAllocation) {
      const absl::Status taken = TakeAllocation(payload);
      if (!taken.ok()) return Finish(taken);
      continue;
    }
    record->payload = {payload.data(), payload.size()};
    record->sequence = check->header.first_sequence;
    record->offset = offset;
    return true;
  }
  return *end_;
}

// L13: a file that is shorter than its log says has lost its end, and with it perhaps records.
absl::Status LogReader::CheckFileSize(uint64_t required_bytes) {
  if (file_size_bytes_ >= required_bytes) return absl::OkStatus();
  absl::Status loss = Loss(
      absl::StrCat("log size: observed ", file_size_bytes_, ", expected at least ", required_bytes),
      0, file_size_bytes_);
  if (!options_.salvage) return loss;
  damage_.Update(loss);
  return absl::OkStatus();
}

absl::Status LogReader::TakeAllocation(std::span<const char> payload) {
  const uint64_t allocated_bytes = LoadFixed64(payload.data());
  if (allocated_bytes <= allocated_bytes_) {
    const absl::Status loss = Loss(absl::StrCat("log allocation: observed ", allocated_bytes,
                                                ", expected more than ", allocated_bytes_),
                                   next_offset_ - kAllocationRecordBytes, kAllocationRecordBytes);
    if (!options_.salvage) return loss;
    damage_.Update(loss);
    return absl::OkStatus();
  }
  allocated_bytes_ = allocated_bytes;
  // A live log may have grown after this reader learnt its size.
  if (options_.live || sealed_size_.has_value()) return absl::OkStatus();
  return CheckFileSize(allocated_bytes);
}

// What the fault at next_offset_ means: true to look again (at next_offset_, which may have
// moved), false at the end of the log, or the damage.
absl::StatusOr<bool> LogReader::SettleFault(const RecordCheck& check) {
  if (sealed_size_.has_value()) return SettleSealed(check);
  if (options_.live && looks_ == 0) {  // the chunk may be older than the record
    looks_ = 1;
    window_.Forget();
    return true;
  }
  const auto verdict = JudgeTail(window_, identity_, next_offset_, check);
  if (!verdict.ok()) return verdict.status();
  if (verdict->end == LogEnd::kDamaged && verdict->witness_offset != 0) {
    if (options_.live && looks_ == 1) {  // the record may have been written before its witness
      looks_ = 2;
      window_.Forget();
      return true;
    }
    return SettleDamage(WitnessedLoss(*verdict, check), verdict->end_of_bytes);
  }
  if (verdict->end == LogEnd::kDamaged && !options_.live) {
    return SettleDamage(
        Loss(check.Describe(), next_offset_,
             check.header_valid() ? RecordBytes(check.header.payload_bytes) : kRecordHeaderBytes),
        verdict->end_of_bytes);
  }
  torn_bytes_ = verdict->end_of_bytes - next_offset_;
  return false;
}

absl::StatusOr<bool> LogReader::SettleSealed(const RecordCheck& check) {
  if (next_offset_ == *sealed_size_) return false;
  if (next_offset_ == window_.limit()) return false;  // salvage of a file cut short, noted at Open
  return SettleDamage(
      Loss(absl::StrCat("log below its sealed size ", *sealed_size_, ": ", check.Describe()),
           next_offset_, window_.limit() - next_offset_),
      window_.limit());
}

// In salvage mode, moves on to the next valid record, or ends the log when there is none.
absl::StatusOr<bool> LogReader::SettleDamage(absl::Status damage, uint64_t end_of_bytes) {
  if (!options_.salvage) return damage;
  damage_.Update(damage);
  uint64_t from = next_offset_ + kRecordAlignment;
  while (from < end_of_bytes) {
    uint64_t found = 0;
    SILTSTONE_RETURN_IF_ERROR(ScanRecordHeaders(window_, identity_, from, end_of_bytes,
                                                [&](uint64_t offset, const RecordHeader&) {
                                                  found = offset;
                                                  return false;
                                                }));
    if (found == 0) break;
    std::span<char> bytes;
    const auto check = ReadRecord(window_, identity_, found, &bytes);
    if (!check.ok()) return check.status();
    if (check->valid()) {
      skipped_bytes_ += found - next_offset_;
      next_offset_ = found;
      return true;
    }
    from = found + kRecordAlignment;
  }
  skipped_bytes_ += end_of_bytes - next_offset_;
  return false;
}

absl::Status LogReader::WitnessedLoss(const TailVerdict& verdict, const RecordCheck& check) const {
  return Loss(
      absl::StrCat(check.Describe(), ", though the record at offset ", verdict.witness_offset,
                   " says that everything below ", verdict.witness_synced_offset, " was synced"),
      next_offset_, verdict.witness_offset - next_offset_);
}

absl::Status LogReader::Loss(std::string_view what, uint64_t offset, uint64_t size) const {
  return absl::DataLossError(
      absl::StrCat(ToAbsl(what), ", in ", file_name_, " at offset ", offset, " size ", size));
}

absl::StatusOr<bool> LogReader::Finish(absl::StatusOr<bool> end) {
  end_ = std::move(end);
  return *end_;
}

}  // namespace siltstone
