#include "tools/export_format.h"

#include <stdio.h>

#include "base/coding.h"
#include "base/status_macros.h"

namespace siltstone::tools {
namespace {

// X3, X5: the first byte of a record and of the end.
constexpr char kRecordTag = 'R';
constexpr char kEndTag = 'E';

constexpr size_t kRecordHeaderBytes = 9;  // tag, key size, value size
constexpr size_t kCountBytes = 9;         // tag, count
constexpr size_t kChecksumBytes = 8;

// X4. What a database takes.
constexpr uint32_t kMaxKeyBytes = uint32_t{64} << 20;
constexpr uint32_t kMaxValueBytes = uint32_t{1} << 30;

std::string Hex(uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(number));
  return text;
}

class ExportReader : public RecordReader {
 public:
  explicit ExportReader(Input& input) : input_(input) {}

  absl::StatusOr<bool> Next(Record* record) override {
    if (at_end_) return false;
    if (record_count_ == 0 && input_.offset() == 0) {
      absl::Status status = ReadMagic();
      if (!status.ok()) return status;
    }
    absl::StatusOr<std::string_view> tag = input_.Peek(1);
    if (!tag.ok()) return tag.status();
    if (tag->empty()) return Cut("its end", input_.offset());
    if ((*tag)[0] == kEndTag) return ReadEnd();
    if ((*tag)[0] != kRecordTag) {
      return Damaged("unknown tag " + Hex(static_cast<uint8_t>((*tag)[0])), input_.offset());
    }
    return ReadRecord(record);
  }

 private:
  absl::Status ReadMagic() {
    std::string magic;
    SILTSTONE_RETURN_IF_ERROR(ReadExactly(kExportMagic.size(), "its first line", &magic));
    if (magic != kExportMagic) return Damaged("not an export", 0);
    checksum_.Add(magic);
    return absl::OkStatus();
  }

  absl::StatusOr<bool> ReadRecord(Record* record) {
    const uint64_t offset = input_.offset();
    std::string header;
    SILTSTONE_RETURN_IF_ERROR(ReadExactly(kRecordHeaderBytes, "a record's header", &header));
    const uint32_t key_bytes = LoadFixed32(header.data() + 1);
    const uint32_t value_bytes = LoadFixed32(header.data() + 5);
    if (key_bytes > kMaxKeyBytes || value_bytes > kMaxValueBytes) {
      return Damaged("impossible sizes " + std::to_string(key_bytes) + " and " +
                         std::to_string(value_bytes) + " of a key and a value",
                     offset);
    }
    SILTSTONE_RETURN_IF_ERROR(ReadExactly(key_bytes, "a key", &record->key));
    SILTSTONE_RETURN_IF_ERROR(ReadExactly(value_bytes, "a value", &record->value));
    checksum_.Add(header);
    checksum_.Add(record->key);
    checksum_.Add(record->value);
    ++record_count_;
    return true;
  }

  absl::StatusOr<bool> ReadEnd() {
    const uint64_t offset = input_.offset();
    std::string count;
    SILTSTONE_RETURN_IF_ERROR(ReadExactly(kCountBytes, "its count", &count));
    checksum_.Add(count);
    if (const uint64_t stored = LoadFixed64(count.data() + 1); stored != record_count_) {
      return Damaged("count mismatch: stored " + std::to_string(stored) + ", read " +
                         std::to_string(record_count_),
                     offset);
    }
    std::string checksum;
    SILTSTONE_RETURN_IF_ERROR(ReadExactly(kChecksumBytes, "its checksum", &checksum));
    if (const uint64_t stored = LoadFixed64(checksum.data()); stored != checksum_.Value()) {
      return Damaged(
          "checksum mismatch: stored " + Hex(stored) + ", computed " + Hex(checksum_.Value()),
          offset + kCountBytes);
    }
    absl::StatusOr<std::string_view> behind = input_.Peek(1);
    if (!behind.ok()) return behind.status();
    if (!behind->empty()) return Damaged("bytes behind the end", input_.offset());
    at_end_ = true;
    return false;
  }

  absl::Status ReadExactly(uint64_t size_bytes, std::string_view what, std::string* out) {
    const uint64_t offset = input_.offset();
    out->clear();
    SILTSTONE_RETURN_IF_ERROR(input_.Read(size_bytes, out));
    return out->size() == size_bytes ? absl::OkStatus() : Cut(what, offset);
  }

  absl::Status Cut(std::string_view what, uint64_t offset) const {
    return Damaged("the export is cut within " + std::string(what), offset);
  }
  absl::Status Damaged(const std::string& what, uint64_t offset) const {
    return absl::DataLossError(what + ", in " + input_.name() + " at offset " +
                               std::to_string(offset));
  }

  Input& input_;
  ExportChecksum checksum_;
  uint64_t record_count_ = 0;
  bool at_end_ = false;
};

}  // namespace

ExportChecksum::ExportChecksum() : state_(XXH3_createState()) { XXH3_64bits_reset(state_); }
ExportChecksum::~ExportChecksum() { XXH3_freeState(state_); }
void ExportChecksum::Add(std::string_view bytes) {
  XXH3_64bits_update(state_, bytes.data(), bytes.size());
}
uint64_t ExportChecksum::Value() const { return XXH3_64bits_digest(state_); }

ExportWriter::ExportWriter(Output& output) : output_(output) { Write(kExportMagic); }

void ExportWriter::Add(std::string_view key, std::string_view value) {
  std::string header(1, kRecordTag);
  AppendFixed32(&header, static_cast<uint32_t>(key.size()));
  AppendFixed32(&header, static_cast<uint32_t>(value.size()));
  Write(header);
  Write(key);
  Write(value);
  ++record_count_;
}

void ExportWriter::Finish() {
  std::string end(1, kEndTag);
  AppendFixed64(&end, record_count_);
  Write(end);
  std::string checksum;
  AppendFixed64(&checksum, checksum_.Value());
  output_.Write(checksum);
}

void ExportWriter::Write(std::string_view bytes) {
  checksum_.Add(bytes);
  output_.Write(bytes);
}

std::unique_ptr<RecordReader> NewExportReader(Input& input) {
  return std::make_unique<ExportReader>(input);
}

}  // namespace siltstone::tools
