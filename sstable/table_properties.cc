#include "sstable/table_properties.h"

#include <bit>
#include <limits>

#include "absl/strings/str_cat.h"

#include "base/coding.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {

namespace {

// On disk: never renumber.
enum Tag : uint32_t {
  kTableId = 1,
  kDatabaseId = 2,
  kEpoch = 3,
  kNumber = 4,
  kLevel = 5,
  kEntries = 6,
  kDistinctKeys = 7,
  kTombstones = 8,
  kDataBlocks = 9,
  kRawKeyBytes = 10,
  kRawValueBytes = 11,
  kSmallest = 12,
  kLargest = 13,
  kSmallestSequence = 14,
  kLargestSequence = 15,
  kComparatorName = 16,
  kCompression = 17,
  kFilterKind = 18,
  kFilterChance = 19,
  kSecretId = 20,
  kBlockSize = 21,
  kLargestBlock = 22,
};
constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();

class Encoder {
 public:
  void Bytes(Tag tag, std::string_view value) {
    AppendVarint32(&out_, tag);
    AppendLengthPrefixed(&out_, value);
  }
  void Number(Tag tag, uint64_t value) {
    std::string bytes;
    AppendFixed64(&bytes, value);
    Bytes(tag, bytes);
  }
  void Id(Tag tag, const TableId& id) {
    std::string bytes;
    AppendFixed64(&bytes, id.high);
    AppendFixed64(&bytes, id.low);
    Bytes(tag, bytes);
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Takes properties off in the order of their tags; the first fault sticks.
class Parser {
 public:
  explicit Parser(std::string_view contents) : decoder_(contents) {}

  std::string_view Bytes(Tag tag) {
    std::string_view value;
    uint32_t found = 0;
    while (status_.ok() && found < tag) {
      if (!decoder_.Varint32(&found) || !decoder_.LengthPrefixed(&value)) {
        Fail(tag, "is missing");
      } else if (found <= last_ || found > tag) {
        Fail(tag, absl::StrCat("is missing: found tag ", found, " after ", last_));
      }
      last_ = found;
    }
    return status_.ok() ? value : std::string_view();
  }

  uint64_t Number(Tag tag, uint64_t low, uint64_t high) {
    const std::string_view bytes = Bytes(tag);
    uint64_t value = low;
    if (!status_.ok()) return value;
    if (bytes.size() != sizeof(value)) {
      Fail(tag, absl::StrCat("has ", bytes.size(), " bytes, expected ", sizeof(value)));
      return low;
    }
    value = LoadFixed64(bytes.data());
    if (value < low || value > high) {
      Fail(tag, absl::StrCat("is ", value, ", expected ", low, " to ", high));
    }
    return value;
  }

  TableId Id(Tag tag) {
    const std::string_view bytes = Bytes(tag);
    if (status_.ok() && bytes.size() != sizeof(TableId)) {
      Fail(tag, absl::StrCat("has ", bytes.size(), " bytes, expected ", sizeof(TableId)));
    }
    if (!status_.ok()) return {};
    return {LoadFixed64(bytes.data()), LoadFixed64(bytes.data() + 8)};
  }

  std::string Key(Tag tag) {
    const std::string_view bytes = Bytes(tag);
    if (status_.ok() && !IsInternalKey(bytes)) Fail(tag, "is not an internal key");
    return std::string(bytes);
  }

  // Whatever follows is of unknown tags, but of the form of properties.
  absl::Status Finish() {
    while (status_.ok() && !decoder_.empty()) {
      uint32_t tag = 0;
      std::string_view value;
      if (!decoder_.Varint32(&tag) || tag <= last_ || !decoder_.LengthPrefixed(&value)) {
        status_ =
            absl::DataLossError(absl::StrCat("properties: malformed at byte ", decoder_.offset()));
      }
      last_ = tag;
    }
    return status_;
  }

 private:
  void Fail(Tag tag, const std::string& how) {
    status_ = absl::DataLossError(absl::StrCat("properties: property ", tag, " ", how));
  }

  Decoder decoder_;
  uint32_t last_ = 0;
  absl::Status status_;
};

}  // namespace

std::string EncodeTableProperties(const TableProperties& properties) {
  Encoder out;
  out.Id(kTableId, properties.table_id);
  out.Id(kDatabaseId, properties.database_id);
  out.Number(kEpoch, properties.epoch);
  out.Number(kNumber, properties.number);
  out.Number(kLevel, static_cast<uint64_t>(properties.level));
  out.Number(kEntries, properties.entries);
  out.Number(kDistinctKeys, properties.distinct_keys);
  out.Number(kTombstones, properties.tombstones);
  out.Number(kDataBlocks, properties.data_blocks);
  out.Number(kRawKeyBytes, properties.raw_key_bytes);
  out.Number(kRawValueBytes, properties.raw_value_bytes);
  out.Bytes(kSmallest, properties.smallest);
  out.Bytes(kLargest, properties.largest);
  out.Number(kSmallestSequence, properties.smallest_sequence);
  out.Number(kLargestSequence, properties.largest_sequence);
  out.Bytes(kComparatorName, properties.comparator_name);
  out.Number(kCompression, static_cast<uint64_t>(properties.compression));
  out.Bytes(kFilterKind, properties.filter_kind);
  out.Number(kFilterChance, std::bit_cast<uint64_t>(properties.filter_fp_chance));
  out.Number(kSecretId, properties.secret_id);
  out.Number(kBlockSize, properties.block_size_bytes);
  out.Number(kLargestBlock, properties.largest_block_bytes);
  return out.Take();
}

absl::Status DecodeTableProperties(std::string_view contents, TableProperties* properties) {
  Parser in(contents);
  TableProperties p;
  p.table_id = in.Id(kTableId);
  p.database_id = in.Id(kDatabaseId);
  p.epoch = in.Number(kEpoch, 0, kAny);
  p.number = in.Number(kNumber, 0, kAny);
  p.level = static_cast<int>(in.Number(kLevel, 0, 255));
  p.entries = in.Number(kEntries, 1, kAny);
  p.distinct_keys = in.Number(kDistinctKeys, 1, p.entries);
  p.tombstones = in.Number(kTombstones, 0, p.entries);
  p.data_blocks = in.Number(kDataBlocks, 1, p.entries);
  p.raw_key_bytes = in.Number(kRawKeyBytes, 0, kAny);
  p.raw_value_bytes = in.Number(kRawValueBytes, 0, kAny);
  p.smallest = in.Key(kSmallest);
  p.largest = in.Key(kLargest);
  p.smallest_sequence = in.Number(kSmallestSequence, 0, kMaxSequenceNumber);
  p.largest_sequence = in.Number(kLargestSequence, p.smallest_sequence, kMaxSequenceNumber);
  p.comparator_name = std::string(in.Bytes(kComparatorName));
  p.compression = static_cast<Compression>(in.Number(kCompression, 0, 1));
  p.filter_kind = std::string(in.Bytes(kFilterKind));
  p.filter_fp_chance = std::bit_cast<double>(in.Number(kFilterChance, 0, kAny));
  p.secret_id = static_cast<uint32_t>(in.Number(kSecretId, 0, UINT32_MAX));
  p.block_size_bytes = in.Number(kBlockSize, 0, kAny);
  p.largest_block_bytes = in.Number(kLargestBlock, 1, UINT32_MAX);
  SILTSTONE_RETURN_IF_ERROR(in.Finish());
  // The negation also catches what is not a number.
  if (!(p.filter_fp_chance > 0 && p.filter_fp_chance <= 1)) {
    return absl::DataLossError(
        absl::StrCat("properties: filter chance ", p.filter_fp_chance, ", expected above 0 to 1"));
  }
  *properties = std::move(p);
  return absl::OkStatus();
}

}  // namespace siltstone
