#include "sstable/table_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lz4.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {

namespace {

constexpr size_t kWriteBytes = size_t{256} << 10;
// A compressed block must save 1/8.
constexpr size_t kLeastSavingDivisor = 8;

}  // namespace

TableWriter::TableWriter(TableWriterOptions options, std::unique_ptr<TableFile> file)
    : options_(std::move(options)), file_(std::move(file)), block_(options_.restart_interval) {
  SILTSTONE_CHECK(file_ != nullptr && options_.restart_interval >= 1);
  SILTSTONE_CHECK(!options_.table_id.is_zero() && options_.level >= 0 && options_.level < 256);
  properties_.table_id = options_.table_id;
  properties_.database_id = options_.database_id;
  properties_.epoch = options_.epoch;
  properties_.number = options_.number;
  properties_.level = options_.level;
  properties_.smallest_sequence = kMaxSequenceNumber;
  properties_.comparator_name = std::string(options_.order.comparator()->name());
  properties_.compression = options_.compression;
  properties_.secret_id = options_.secret_id;
  properties_.block_size_bytes = options_.block_size_bytes;
  if (options_.filter_policy != nullptr) {
    filter_ = options_.filter_policy->NewBuilder(options_.filter_salt);
  }
}

TableWriter::~TableWriter() = default;

absl::Status TableWriter::Add(std::string_view internal_key, std::string_view value) {
  SILTSTONE_CHECK(!finished_ && IsInternalKey(internal_key));
  SILTSTONE_RETURN_IF_ERROR(status_);
  SILTSTONE_RETURN_IF_ERROR(CheckLimits(internal_key, value));
  status_ = Append(internal_key, value);
  return status_;
}

absl::Status TableWriter::CheckLimits(std::string_view internal_key, std::string_view value) const {
  if (internal_key.size() > kMaxUserKeyBytes + kTrailerBytes || value.size() > kMaxValueBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("key of ", internal_key.size() - kTrailerBytes, " bytes with a value of ",
                     value.size(), ", expected at most ", kMaxUserKeyBytes, " and ", kMaxValueBytes,
                     ", in ", ToAbsl(options_.file_name)));
  }
  // One Append makes at most two index entries, Finish one more.
  constexpr uint64_t kReserve = 3 * (kMaxUserKeyBytes + kTrailerBytes + 2 * kMaxVarint64Bytes);
  if (index_.size_bytes() + kReserve > kMaxBlockContentBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("table index is full: ", index_.size_bytes(),
                                                     " bytes, in ", ToAbsl(options_.file_name)));
  }
  return absl::OkStatus();
}

absl::Status TableWriter::Append(std::string_view internal_key, std::string_view value) {
  const bool first = properties_.entries == 0;
  SILTSTONE_CHECK(first || options_.order.CompareInternalKeys(last_key_, internal_key) < 0);
  if (!block_.empty() && !block_.Fits(internal_key.size(), value.size())) {
    SILTSTONE_RETURN_IF_ERROR(FinishBlock());
  }
  if (waiting_block_bytes_ != 0) {
    AddIndexEntry(MakeSeparator(options_.order, last_key_, internal_key));
  }
  const bool new_user_key = first || ExtractUserKey(internal_key) != ExtractUserKey(last_key_);
  CountEntry(internal_key, value, new_user_key);
  block_.Add(internal_key, value);
  last_key_.assign(internal_key);
  return block_.size_bytes() >= options_.block_size_bytes ? FinishBlock() : absl::OkStatus();
}

void TableWriter::CountEntry(std::string_view internal_key, std::string_view value,
                             bool new_user_key) {
  const uint64_t trailer = ExtractTrailer(internal_key);
  const SequenceNumber sequence = TrailerSequence(trailer);
  if (properties_.entries == 0) properties_.smallest.assign(internal_key);
  ++properties_.entries;
  properties_.raw_key_bytes += internal_key.size();
  properties_.raw_value_bytes += value.size();
  properties_.smallest_sequence = std::min(properties_.smallest_sequence, sequence);
  properties_.largest_sequence = std::max(properties_.largest_sequence, sequence);
  if (trailer == PackTrailer(sequence, ValueType::kDeletion)) ++properties_.tombstones;
  if (!new_user_key) return;
  ++properties_.distinct_keys;
  if (filter_ != nullptr) {
    filter_->Add(HashKey(ExtractUserKey(internal_key), options_.filter_hash_seed));
  }
}

void TableWriter::AddIndexEntry(std::string_view separator) {
  index_.Add(separator, waiting_block_bytes_);
  waiting_block_bytes_ = 0;
}

absl::Status TableWriter::FinishBlock() {
  std::string* const contents = block_.Finish();
  const size_t uncompressed_size = contents->size();
  properties_.largest_block_bytes =
      std::max<uint64_t>(properties_.largest_block_bytes, uncompressed_size);
  const Compression compression = CompressContents(contents);
  std::string* const stored = compression == Compression::kNone ? contents : &compressed_;
  SealBlock(stored, BlockKind::kData, compression, uncompressed_size, options_.table_id, offset_);
  waiting_block_bytes_ = stored->size();
  ++properties_.data_blocks;
  const absl::Status status = Write(*stored);
  block_.Reset();
  return status;
}

Compression TableWriter::CompressContents(std::string* contents) {
  if (options_.compression != Compression::kLz4 || contents->size() > LZ4_MAX_INPUT_SIZE) {
    return Compression::kNone;
  }
  const int size = static_cast<int>(contents->size());
  const size_t worth = contents->size() - contents->size() / kLeastSavingDivisor;
  if (worth == contents->size()) return Compression::kNone;
  compressed_.resize(worth);
  const int compressed_size =
      LZ4_compress_default(contents->data(), compressed_.data(), size, static_cast<int>(worth));
  if (compressed_size <= 0) return Compression::kNone;
  compressed_.resize(static_cast<size_t>(compressed_size));
  return Compression::kLz4;
}

absl::StatusOr<TableSummary> TableWriter::Finish() {
  SILTSTONE_CHECK(!finished_);
  finished_ = true;
  if (!status_.ok()) return status_;
  absl::StatusOr<TableSummary> summary = WriteTail();
  if (!summary.ok()) status_ = summary.status();
  return summary;
}

absl::StatusOr<TableSummary> TableWriter::WriteTail() {
  if (properties_.entries == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("a table needs at least one entry, in ", ToAbsl(options_.file_name)));
  }
  if (!block_.empty()) SILTSTONE_RETURN_IF_ERROR(FinishBlock());
  AddIndexEntry(last_key_);
  properties_.largest = last_key_;
  SILTSTONE_CHECK(index_.block_count() == properties_.data_blocks);

  Footer footer;
  footer.table_id = options_.table_id;
  const uint64_t tail_start = offset_;
  absl::StatusOr<std::string> filter = BuildFilter();
  if (!filter.ok()) return filter.status();
  const uint64_t filter_bytes = filter->size();
  footer.filter = {offset_, 0};
  if (filter_bytes != 0) {
    SILTSTONE_RETURN_IF_ERROR(WriteBlock(&*filter, BlockKind::kFilter, &footer.filter));
  }
  std::string index = index_.Finish();
  SILTSTONE_RETURN_IF_ERROR(WriteBlock(&index, BlockKind::kIndex, &footer.index));
  std::string properties = EncodeTableProperties(properties_);
  SILTSTONE_RETURN_IF_ERROR(WriteBlock(&properties, BlockKind::kProperties, &footer.properties));
  footer.file_size_bytes = offset_ + kFooterBytes;
  footer.tail_size_bytes = footer.file_size_bytes - tail_start;
  std::string end;
  AppendFooter(&end, footer);
  SILTSTONE_RETURN_IF_ERROR(Write(end));
  SILTSTONE_RETURN_IF_ERROR(FlushBuffer());
  SILTSTONE_RETURN_IF_ERROR(file_->Finish());
  return Summarise(footer, filter_bytes);
}

absl::StatusOr<std::string> TableWriter::BuildFilter() {
  if (filter_ == nullptr) return std::string();
  std::string contents = filter_->Finish();
  filter_.reset();
  // A filter that one block cannot hold: the table is read without, slower and never wrong.
  if (contents.empty() || contents.size() > kMaxBlockContentBytes) {
    return std::string();
  }
  // Opened once before it is relied on, and to learn what it calls itself.
  const absl::StatusOr<std::unique_ptr<FilterReader>> reader =
      options_.filter_policy->OpenReader(contents);
  SILTSTONE_NEVER(!reader.ok(), "a new filter block does not open");
  properties_.filter_kind = std::string((*reader)->kind_name());
  properties_.filter_fp_chance = (*reader)->configured_fp_chance();
  return contents;
}

absl::Status TableWriter::WriteBlock(std::string* contents, BlockKind kind, BlockHandle* handle) {
  if (contents->size() > kMaxBlockContentBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "block of kind ", static_cast<int>(kind), ": ", contents->size(), " bytes, at most ",
        kMaxBlockContentBytes, ", in ", ToAbsl(options_.file_name)));
  }
  const uint64_t offset = offset_;
  SealBlock(contents, kind, Compression::kNone, contents->size(), options_.table_id, offset);
  SILTSTONE_RETURN_IF_ERROR(Write(*contents));
  *handle = {offset, contents->size()};
  return absl::OkStatus();
}

absl::Status TableWriter::Write(std::string_view bytes) {
  offset_ += bytes.size();
  if (buffer_.size() + bytes.size() < kWriteBytes) {
    buffer_.append(bytes);
    return absl::OkStatus();
  }
  SILTSTONE_RETURN_IF_ERROR(FlushBuffer());
  if (bytes.size() >= kWriteBytes) return file_->Append(bytes);
  buffer_.append(bytes);
  return absl::OkStatus();
}

absl::Status TableWriter::FlushBuffer() {
  if (buffer_.empty()) return absl::OkStatus();
  const absl::Status status = file_->Append(buffer_);
  buffer_.clear();
  return status;
}

TableSummary TableWriter::Summarise(const Footer& footer, uint64_t filter_bytes) {
  TableSummary summary;
  summary.file_size_bytes = footer.file_size_bytes;
  summary.tail_size_bytes = footer.tail_size_bytes;
  summary.entries = properties_.entries;
  summary.distinct_keys = properties_.distinct_keys;
  summary.tombstones = properties_.tombstones;
  summary.raw_key_bytes = properties_.raw_key_bytes;
  summary.raw_value_bytes = properties_.raw_value_bytes;
  summary.smallest = properties_.smallest;
  summary.largest = properties_.largest;
  summary.smallest_sequence = properties_.smallest_sequence;
  summary.largest_sequence = properties_.largest_sequence;
  summary.filter_bytes = filter_bytes;
  return summary;
}

}  // namespace siltstone
