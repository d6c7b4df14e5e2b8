#include "sstable/table_reader.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/epoch.h"
#include "base/status_macros.h"
#include "base/to_absl.h"
#include "sstable/data_block_reader.h"
#include "sstable/table_iterator.h"
#include "sstable/table_verifier.h"

namespace siltstone {

namespace {

uint64_t NextUid() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

TableReader::TableReader(TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file)
    : order_(options.order),
      file_name_(std::move(options.file_name)),
      file_(std::move(file)),
      cache_(options.block_cache),
      uid_(NextUid()),
      index_(options.order) {}

TableReader::~TableReader() = default;

absl::StatusOr<std::unique_ptr<TableReader>> TableReader::Open(
    TableReaderOptions options, std::unique_ptr<RandomAccessFile> file) {
  SILTSTONE_CHECK(file != nullptr);
  std::unique_ptr<TableReader> table(new TableReader(options, std::move(file)));
  const absl::StatusOr<std::string> tail = table->ReadTail(options);
  if (!tail.ok()) return tail.status();
  SILTSTONE_RETURN_IF_ERROR(table->LoadIndexAndProperties(*tail));
  table->LoadFilter(options, *tail);
  table->fetcher_.emplace(BlockFetcherOptions{table->file_.get(), table->cache_, table->uid_,
                                              table->identity(), table->footer_.tail_start(),
                                              table->properties_.largest_block_bytes});
  return table;
}

absl::StatusOr<std::string> TableReader::ReadTail(const TableReaderOptions& options) {
  const uint64_t size = file_->size_bytes();
  if (options.file_size_bytes != 0 && options.file_size_bytes != size) {
    return DamageAt(
        absl::StrCat("table size: observed ", size, ", expected ", options.file_size_bytes),
        file_name_, whole_file());
  }
  const uint64_t known = options.tail_size_bytes;
  if (size < kFooterBytes || known > size || (known != 0 && known < kFooterBytes)) {
    return DamageAt(absl::StrCat("table size: observed ", size, ", expected at least ",
                                 std::max<uint64_t>(known, kFooterBytes)),
                    file_name_, whole_file());
  }
  std::string tail(known == 0 ? kFooterBytes : known, '\0');
  SILTSTONE_RETURN_IF_ERROR(file_->Read(size - tail.size(), tail));
  SILTSTONE_RETURN_IF_ERROR(DecodeFooter(std::string_view(tail).substr(tail.size() - kFooterBytes),
                                         size, file_name_, &footer_));
  SILTSTONE_RETURN_IF_ERROR(CheckExpectations(options));
  if (known == 0) SILTSTONE_RETURN_IF_ERROR(ReadTailOfUnknownSize(&tail));
  return tail;
}

absl::Status TableReader::CheckExpectations(const TableReaderOptions& options) const {
  const BlockHandle place{footer_.file_size_bytes - kFooterBytes, kFooterBytes};
  const TableId& expected = options.expected_table_id;
  if (!expected.is_zero() && footer_.table_id != expected) {
    return DamageAt(absl::StrCat("table id: observed ", footer_.table_id.ToHex(), ", expected ",
                                 expected.ToHex()),
                    file_name_, place);
  }
  if (options.tail_size_bytes != 0 && options.tail_size_bytes != footer_.tail_size_bytes) {
    return DamageAt(absl::StrCat("tail size: the footer says ", footer_.tail_size_bytes,
                                 ", expected ", options.tail_size_bytes),
                    file_name_, place);
  }
  return absl::OkStatus();
}

// `tail` holds the footer; puts the rest before it. The size was checked against the file's.
absl::Status TableReader::ReadTailOfUnknownSize(std::string* tail) const {
  const size_t rest = footer_.tail_size_bytes - kFooterBytes;
  std::string whole(footer_.tail_size_bytes, '\0');
  SILTSTONE_RETURN_IF_ERROR(file_->Read(footer_.tail_start(), std::span<char>(whole.data(), rest)));
  whole.replace(rest, kFooterBytes, *tail);
  *tail = std::move(whole);
  return absl::OkStatus();
}

absl::Status TableReader::LoadIndexAndProperties(std::string_view tail) {
  auto contents =
      FindTailBlock(tail, footer_, footer_.properties, BlockKind::kProperties, file_name_);
  if (!contents.ok()) return contents.status();
  absl::Status status = DecodeTableProperties(*contents, &properties_);
  if (!status.ok()) return DamageAt(FromAbsl(status.message()), file_name_, footer_.properties);
  if (properties_.comparator_name != order_.comparator()->name()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "table comparator: observed ", properties_.comparator_name, ", the database has ",
        ToAbsl(order_.comparator()->name()), ", in ", file_name_));
  }
  contents = FindTailBlock(tail, footer_, footer_.index, BlockKind::kIndex, file_name_);
  if (!contents.ok()) return contents.status();
  status = IndexBlockReader::Decode(*contents, order_, footer_.tail_start(), &index_);
  if (status.ok()) status = CheckPropertiesAgainstIndex();
  if (!status.ok()) return DamageAt(FromAbsl(status.message()), file_name_, footer_.index);
  return absl::OkStatus();
}

absl::Status TableReader::CheckPropertiesAgainstIndex() const {
  if (properties_.table_id != footer_.table_id) {
    return absl::DataLossError(absl::StrCat("table id: the properties say ",
                                            properties_.table_id.ToHex(), ", the footer says ",
                                            footer_.table_id.ToHex()));
  }
  if (properties_.data_blocks != index_.block_count()) {
    return absl::DataLossError(absl::StrCat("data blocks: the properties say ",
                                            properties_.data_blocks, ", the index has ",
                                            index_.block_count()));
  }
  if (order_.CompareInternalKeys(properties_.smallest, properties_.largest) > 0 ||
      index_.separator(index_.block_count() - 1) != properties_.largest) {
    return absl::DataLossError("key range: the properties disagree with the index");
  }
  return absl::OkStatus();
}

void TableReader::LoadFilter(const TableReaderOptions& options, std::string_view tail) {
  if (footer_.filter.stored_size_bytes == 0 || options.filter_policy == nullptr) return;
  const std::optional<uint64_t> seed =
      options.secret_lookup ? options.secret_lookup(properties_.secret_id) : std::nullopt;
  const auto contents =
      FindTailBlock(tail, footer_, footer_.filter, BlockKind::kFilter, file_name_);
  if (!contents.ok()) {
    filter_fault_ = contents.status();
  } else if (!seed.has_value()) {
    filter_fault_ = absl::NotFoundError(absl::StrCat(
        "filter not usable: secret ", properties_.secret_id, " is not known, in ", file_name_));
  } else {
    auto filter = options.filter_policy->OpenReader(std::string(*contents));
    if (filter.ok()) {
      filter_ = *std::move(filter);
      filter_hash_seed_ = *seed;
    } else {
      const absl::Status named =
          DamageAt(absl::StrCat("filter not usable: ", filter.status().message()), file_name_,
                   footer_.filter);
      filter_fault_ = absl::Status(filter.status().code(), named.message());
    }
  }
}

absl::Status TableReader::Get(std::string_view user_key, SequenceNumber snapshot,
                              TableReadContext& context, PointResult* result) const {
  SILTSTONE_DCHECK(EpochGuard::IsHeld());
  const uint64_t seek_trailer = SeekTrailer(snapshot);
  result->state = PointResult::State::kAbsent;
  result->value = {};
  result->block.Reset();
  const size_t first = index_.Find(user_key, seek_trailer);
  result->key_present = false;
  if (first == index_.block_count()) {
    result->key_present = HasNewerVersion(user_key, seek_trailer, first, nullptr);
  }
  for (size_t i = first; i < index_.block_count(); ++i) {
    const BlockHandle handle = index_.handle(i);
    SILTSTONE_RETURN_IF_ERROR(fetcher_->Fetch(handle, context, &result->block));
    DataBlockEntry entry;
    const PointVerdict verdict =
        FindInDataBlock(*result->block.get(), order_, user_key, seek_trailer, &entry);
    if (verdict == PointVerdict::kMatch) {
      const uint64_t trailer = entry.trailer();
      result->key_present = true;
      result->sequence = TrailerSequence(trailer);
      if (trailer == PackTrailer(result->sequence, ValueType::kDeletion)) {
        result->state = PointResult::State::kDeleted;
      } else {
        result->state = PointResult::State::kFound;
        result->value = entry.value();
      }
      return absl::OkStatus();
    }
    if (i == first && verdict != PointVerdict::kDamaged) {
      result->key_present = HasNewerVersion(user_key, seek_trailer, first, result->block.get());
    }
    result->block.Reset();
    if (verdict == PointVerdict::kDamaged) {
      return DamageAt("data block: malformed entry", file_name_, handle);
    }
    // Only where the separator is of this very key can the next block begin with older versions of it.
    if (verdict == PointVerdict::kAbsent || ExtractUserKey(index_.separator(i)) != user_key) break;
  }
  return absl::OkStatus();
}

bool TableReader::HasNewerVersion(std::string_view user_key, uint64_t seek_trailer, size_t first,
                                  const Block* block) const {
  if (TrailerSequence(seek_trailer) >= properties_.largest_sequence) return false;
  constexpr uint64_t kBeforeAll = SeekTrailer(kMaxSequenceNumber);
  const size_t newest = index_.Find(user_key, kBeforeAll);
  if (newest == index_.block_count()) return false;
  if (newest < first) {
    // The separator is of this key, as it lies between two places of it; no version unless it is an entry.
    return IsInternalKey(index_.separator(newest));
  }
  DataBlockEntry entry;
  return FindInDataBlock(*block, order_, user_key, kBeforeAll, &entry) == PointVerdict::kMatch;
}

std::unique_ptr<InternalIterator> TableReader::NewIterator(bool fill_cache,
                                                           ReadReceipt* receipt) const {
  return std::make_unique<TableIterator>(order_, index_, *fetcher_, fill_cache, receipt);
}

std::unique_ptr<InternalIterator> TableReader::NewSalvageIterator(LossSink sink) const {
  auto iterator = std::make_unique<TableIterator>(order_, index_, *fetcher_, /*fill_cache=*/false,
                                                  /*receipt=*/nullptr);
  iterator->PassOverDamage(
      [this, sink = std::move(sink)](size_t block, const absl::Status& damage) {
        const std::string_view first =
            block == 0 ? std::string_view(properties_.smallest) : index_.separator(block - 1);
        sink(damage, ExtractUserKey(first), ExtractUserKey(index_.separator(block)));
      });
  return iterator;
}

absl::Status TableReader::VerifyChecksums() const {
  // What an unknown kind of filter or an unknown secret costs is no damage.
  if (absl::IsDataLoss(filter_fault_)) return filter_fault_;
  return TableVerifier({order_, *file_, file_name_, footer_, properties_, index_, *fetcher_,
                        filter_.get(), filter_hash_seed_})
      .Run();
}

size_t TableReader::other_memory_bytes() const {
  return sizeof(*this) + file_name_.capacity() + properties_.smallest.capacity() +
         properties_.largest.capacity() + properties_.comparator_name.capacity() +
         properties_.filter_kind.capacity();
}

}  // namespace siltstone
