#include "engine/manifest/version_edit.h"

#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/status_macros.h"

namespace siltstone {
namespace {

constexpr uint8_t kFormatVersion = 1;
constexpr size_t kChecksumBytes = 8;
constexpr size_t kMaxComparatorNameBytes = 255;

// On disk: never renumber. In the order in which fields stand (M10).
enum class Tag : uint8_t {
  kComparatorName = 1,
  kTableOptions = 2,
  kLastSequence = 3,
  kNextFileNumber = 4,
  kEpoch = 5,
  kTableRemoved = 6,
  kTableAdded = 7,
  kLogBegun = 8,
  kLogSealed = 9,
  kLogRetired = 10,
};

// In the byte of the filter kind.
constexpr uint8_t kByLevelBit = 0x80;

class EditEncoder {
 public:
  EditEncoder() { out_.push_back(static_cast<char>(kFormatVersion)); }

  void Field(Tag tag, std::string_view body) {
    out_.push_back(static_cast<char>(tag));
    AppendFixed32(&out_, static_cast<uint32_t>(body.size()));
    out_.append(body);
  }

  void Numbers(Tag tag, std::initializer_list<uint64_t> numbers) {
    std::string body;
    for (const uint64_t number : numbers) AppendFixed64(&body, number);
    Field(tag, body);
  }

  void Options(const RecordedTableOptions& options) {
    std::string body;
    const uint8_t by_level =
        options.filter_allocation == FilterAllocation::kByLevel ? kByLevelBit : 0;
    body.push_back(static_cast<char>(static_cast<uint8_t>(options.filter_kind) | by_level));
    body.push_back(static_cast<char>(options.compression));
    AppendFixed64(&body, std::bit_cast<uint64_t>(options.bloom_filter_fp_chance));
    Field(Tag::kTableOptions, body);
  }

  void Removed(const TableRemoved& table) {
    std::string body(1, static_cast<char>(table.level));
    AppendFixed64(&body, table.epoch);
    AppendFixed64(&body, table.number);
    Field(Tag::kTableRemoved, body);
  }

  void Added(const TableAdded& table) {
    std::string body(1, static_cast<char>(table.level));
    AppendTableMeta(&body, table.meta);
    Field(Tag::kTableAdded, body);
  }

  std::string Finish() && {
    AppendFixed64(&out_, Checksum64(out_));
    return std::move(out_);
  }

 private:
  std::string out_;
};

// Reads the body of one field. Every method is false when the body is too short or out of range.
class FieldDecoder {
 public:
  FieldDecoder(std::string_view body, VersionEdit* edit) : decoder_(body), edit_(*edit) {}

  absl::Status Decode(Tag tag) {
    absl::Status status = DecodeBody(tag);
    if (status.ok() && !decoder_.empty()) status = Malformed();
    if (status.ok()) return status;
    return absl::DataLossError(
        absl::StrCat("field ", static_cast<int>(tag), ": ", status.message()));
  }

 private:
  absl::Status Malformed() const {
    return absl::DataLossError(
        absl::StrCat("malformed, ", decoder_.offset() + decoder_.remaining(), " bytes"));
  }

  absl::Status DecodeBody(Tag tag) {
    bool good = false;
    switch (tag) {
      case Tag::kComparatorName:
        good = ComparatorName(&edit_.comparator_name.emplace());
        break;
      case Tag::kTableOptions:
        good = Options(&edit_.table_options.emplace());
        break;
      case Tag::kLastSequence:
        good = NumberUpTo(kMaxSequenceNumber, &edit_.last_sequence.emplace());
        break;
      case Tag::kNextFileNumber:
        // May be one above the largest number that can be given out.
        good = NumberUpTo(kMaxFileNumber + 1, &edit_.next_file_number.emplace()) &&
               *edit_.next_file_number != 0;
        break;
      case Tag::kEpoch:
        good = FileNumber(&edit_.epoch.emplace());
        break;
      case Tag::kTableRemoved: {
        TableRemoved& table = edit_.removed.emplace_back();
        good = Level(&table.level) && Id(&table.epoch, &table.number);
        break;
      }
      case Tag::kTableAdded: {
        TableAdded& table = edit_.added.emplace_back();
        if (!Level(&table.level)) return Malformed();
        return DecodeTableMeta(&decoder_, &table.meta);
      }
      case Tag::kLogBegun: {
        LogBegun& log = edit_.logs_begun.emplace_back();
        good = Id(&log.epoch, &log.number) && decoder_.Fixed64(&log.minimum_size);
        break;
      }
      case Tag::kLogSealed: {
        LogSealed& log = edit_.logs_sealed.emplace_back();
        good = Id(&log.epoch, &log.number) && decoder_.Fixed64(&log.size);
        break;
      }
      case Tag::kLogRetired: {
        LogRetired& log = edit_.logs_retired.emplace_back();
        good = Id(&log.epoch, &log.number);
        break;
      }
    }
    return good ? absl::OkStatus() : Malformed();
  }

  bool ComparatorName(std::string* name) {
    std::string_view bytes;
    if (!decoder_.Bytes(decoder_.remaining(), &bytes)) return false;
    name->assign(bytes);
    return !bytes.empty() && bytes.size() <= kMaxComparatorNameBytes;
  }

  bool Options(RecordedTableOptions* options) {
    uint8_t filter_kind;
    uint8_t compression;
    uint64_t chance_bits;
    if (!decoder_.Fixed8(&filter_kind) || !decoder_.Fixed8(&compression) ||
        !decoder_.Fixed64(&chance_bits)) {
      return false;
    }
    const double chance = std::bit_cast<double>(chance_bits);
    const bool by_level = (filter_kind & kByLevelBit) != 0;
    filter_kind &= static_cast<uint8_t>(~kByLevelBit);
    *options = {static_cast<FilterKind>(filter_kind), chance, static_cast<Compression>(compression),
                by_level ? FilterAllocation::kByLevel : FilterAllocation::kUniform};
    return filter_kind >= static_cast<uint8_t>(FilterKind::kStandardBloom) &&
           filter_kind <= static_cast<uint8_t>(FilterKind::kAuto) &&
           compression <= static_cast<uint8_t>(Compression::kLz4) && chance > 0 && chance <= 1;
  }

  bool NumberUpTo(uint64_t limit, uint64_t* number) {
    return decoder_.Fixed64(number) && *number <= limit;
  }

  bool FileNumber(uint64_t* number) { return NumberUpTo(kMaxFileNumber, number) && *number != 0; }

  bool Id(uint64_t* epoch, uint64_t* number) { return FileNumber(epoch) && FileNumber(number); }

  bool Level(int* level) {
    uint8_t byte;
    if (!decoder_.Fixed8(&byte)) return false;
    *level = byte;
    return byte < kLevelCount;
  }

  Decoder decoder_;
  VersionEdit& edit_;
};

absl::Status DecodeFields(Decoder* decoder, VersionEdit* edit) {
  uint8_t last_tag = 0;
  while (!decoder->empty()) {
    uint8_t tag;
    uint32_t size_bytes;
    std::string_view body;
    if (!decoder->Fixed8(&tag) || !decoder->Fixed32(&size_bytes) ||
        !decoder->Bytes(size_bytes, &body)) {
      return absl::DataLossError(absl::StrCat("cut short, at byte ", decoder->offset()));
    }
    if (tag < static_cast<uint8_t>(Tag::kComparatorName) ||
        tag > static_cast<uint8_t>(Tag::kLogRetired)) {
      return absl::DataLossError(absl::StrCat("unknown field ", tag));
    }
    const bool may_repeat = tag >= static_cast<uint8_t>(Tag::kTableRemoved);
    if (tag < last_tag || (tag == last_tag && !may_repeat)) {
      return absl::DataLossError(absl::StrCat("field ", tag, " after field ", last_tag));
    }
    last_tag = tag;
    SILTSTONE_RETURN_IF_ERROR(FieldDecoder(body, edit).Decode(static_cast<Tag>(tag)));
  }
  return absl::OkStatus();
}

}  // namespace

std::string EncodeVersionEdit(const VersionEdit& edit) {
  EditEncoder encoder;
  if (edit.comparator_name.has_value()) encoder.Field(Tag::kComparatorName, *edit.comparator_name);
  if (edit.table_options.has_value()) encoder.Options(*edit.table_options);
  if (edit.last_sequence.has_value()) encoder.Numbers(Tag::kLastSequence, {*edit.last_sequence});
  if (edit.next_file_number.has_value()) {
    encoder.Numbers(Tag::kNextFileNumber, {*edit.next_file_number});
  }
  if (edit.epoch.has_value()) encoder.Numbers(Tag::kEpoch, {*edit.epoch});
  for (const TableRemoved& table : edit.removed) encoder.Removed(table);
  for (const TableAdded& table : edit.added) encoder.Added(table);
  for (const LogBegun& log : edit.logs_begun) {
    encoder.Numbers(Tag::kLogBegun, {log.epoch, log.number, log.minimum_size});
  }
  for (const LogSealed& log : edit.logs_sealed) {
    encoder.Numbers(Tag::kLogSealed, {log.epoch, log.number, log.size});
  }
  for (const LogRetired& log : edit.logs_retired) {
    encoder.Numbers(Tag::kLogRetired, {log.epoch, log.number});
  }
  return std::move(encoder).Finish();
}

absl::StatusOr<VersionEdit> DecodeVersionEdit(std::string_view bytes) {
  if (bytes.size() < 1 + kChecksumBytes) {
    return absl::DataLossError(absl::StrCat("version edit: ", bytes.size(), " bytes"));
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  const uint64_t stored = LoadFixed64(bytes.data() + body.size());
  if (const uint64_t computed = Checksum64(body); stored != computed) {
    return absl::DataLossError(absl::StrFormat(
        "version edit checksum mismatch: stored 0x%016x, computed 0x%016x", stored, computed));
  }
  Decoder decoder(body);
  uint8_t version = 0;
  if (!decoder.Fixed8(&version) || version != kFormatVersion) {
    return absl::DataLossError(
        absl::StrCat("version edit: format version ", version, ", expected ", kFormatVersion));
  }
  VersionEdit edit;
  const absl::Status status = DecodeFields(&decoder, &edit);
  if (!status.ok()) return absl::DataLossError(absl::StrCat("version edit: ", status.message()));
  return edit;
}

}  // namespace siltstone
