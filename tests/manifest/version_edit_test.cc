#include "engine/manifest/version_edit.h"

#include <fstream>
#include <sstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/coding.h"
#include "tests/manifest/manifest_fixture.h"

namespace siltstone {
namespace {

using manifest_test::FirstEdit;
using manifest_test::FullEdit;
using manifest_test::MakeMeta;

std::string Sealed(std::string body) {
  AppendFixed64(&body, Checksum64(body));
  return body;
}

// A whole edit of these fields, each tag and body, with a right checksum.
std::string EditOf(const std::vector<std::pair<int, std::string>>& fields) {
  std::string body(1, '\1');
  for (const auto& field : fields) {
    body.push_back(static_cast<char>(field.first));
    AppendFixed32(&body, static_cast<uint32_t>(field.second.size()));
    body.append(field.second);
  }
  return Sealed(body);
}

std::string Numbers(std::initializer_list<uint64_t> numbers) {
  std::string body;
  for (const uint64_t number : numbers) AppendFixed64(&body, number);
  return body;
}

std::string ErrorOf(const std::string& bytes) {
  const auto decoded = DecodeVersionEdit(bytes);
  if (decoded.ok()) return "ok";
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
  return std::string(decoded.status().message());
}

std::string ErrorOf(const TableMeta& meta) {
  VersionEdit edit;
  edit.added = {{1, meta}};
  return ErrorOf(EncodeVersionEdit(edit));
}

TEST(VersionEdit, RoundTrips) {
  for (const VersionEdit& edit : {VersionEdit{}, FirstEdit(), FullEdit()}) {
    const std::string encoded = EncodeVersionEdit(edit);
    const auto decoded = DecodeVersionEdit(encoded);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, edit);
    EXPECT_EQ(EncodeVersionEdit(*decoded), encoded);
  }
}

TEST(VersionEdit, EveryBitFlipIsDataLoss) {
  const std::string encoded = EncodeVersionEdit(FullEdit());
  for (size_t i = 0; i < encoded.size() * 8; ++i) {
    std::string damaged = encoded;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ 1 << i % 8);
    ASSERT_THAT(ErrorOf(damaged), ::testing::HasSubstr("checksum mismatch")) << "bit " << i;
  }
}

TEST(VersionEdit, EveryTruncationIsDataLoss) {
  const std::string encoded = EncodeVersionEdit(FullEdit());
  for (size_t size = 0; size < encoded.size(); ++size) {
    ASSERT_NE(ErrorOf(encoded.substr(0, size)), "ok") << size;
  }
}

// Behind a right checksum, as a faulty writer would leave it: never a crash, and whole fields or DataLoss.
TEST(VersionEdit, EveryBitFlipUnderARightChecksumIsDataLossOrAnotherEdit) {
  const std::string encoded = EncodeVersionEdit(FullEdit());
  const std::string body = encoded.substr(0, encoded.size() - 8);
  for (size_t i = 0; i < body.size() * 8; ++i) {
    std::string damaged = body;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ 1 << i % 8);
    const auto decoded = DecodeVersionEdit(Sealed(damaged));
    if (!decoded.ok()) continue;
    ASSERT_NE(*decoded, FullEdit()) << "bit " << i;
    ASSERT_EQ(EncodeVersionEdit(*decoded), Sealed(damaged)) << "two encodings of one edit";
  }
}

TEST(VersionEdit, EveryTruncationUnderARightChecksumIsDataLossOrFewerFields) {
  const std::string encoded = EncodeVersionEdit(FullEdit());
  for (size_t size = 0; size + 8 < encoded.size(); ++size) {
    const std::string cut = Sealed(encoded.substr(0, size));
    const auto decoded = DecodeVersionEdit(cut);
    if (!decoded.ok()) continue;
    ASSERT_EQ(EncodeVersionEdit(*decoded), cut) << size;
  }
}

TEST(VersionEdit, FieldsStandInOrderAndOnce) {
  EXPECT_EQ(ErrorOf(EditOf({{3, Numbers({7})}, {5, Numbers({1})}})), "ok");
  EXPECT_EQ(ErrorOf(EditOf({{5, Numbers({1})}, {3, Numbers({7})}})),
            "version edit: field 3 after field 5");
  EXPECT_EQ(ErrorOf(EditOf({{3, Numbers({7})}, {3, Numbers({7})}})),
            "version edit: field 3 after field 3");
  EXPECT_EQ(ErrorOf(EditOf({{10, Numbers({1, 2})}, {10, Numbers({1, 3})}})), "ok");
}

TEST(VersionEdit, UnknownFieldsAndVersionsAreRefused) {
  EXPECT_EQ(ErrorOf(EditOf({{0, ""}})), "version edit: unknown field 0");
  EXPECT_EQ(ErrorOf(EditOf({{11, ""}})), "version edit: unknown field 11");
  EXPECT_EQ(ErrorOf(Sealed("\2")), "version edit: format version 2, expected 1");
}

TEST(VersionEdit, ValuesOutOfRangeAreRefused) {
  const uint64_t past = kMaxFileNumber + 1;
  EXPECT_EQ(ErrorOf(EditOf({{1, ""}})), "version edit: field 1: malformed, 0 bytes");
  EXPECT_EQ(ErrorOf(EditOf({{1, std::string(255, 'c')}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{1, std::string(256, 'c')}})), "ok");
  const std::string chance(std::string_view("\0\0\0\0\0\0\xe0\x3f", 8));
  EXPECT_EQ(ErrorOf(EditOf({{2, std::string("\1\0", 2) + chance}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{2, std::string("\0\0", 2) + chance}})), "ok") << "filter kind";
  EXPECT_NE(ErrorOf(EditOf({{2, std::string("\5\0", 2) + chance}})), "ok") << "filter kind";
  EXPECT_NE(ErrorOf(EditOf({{2, std::string("\1\2", 2) + chance}})), "ok") << "compression";
  EXPECT_NE(ErrorOf(EditOf({{2, std::string("\1\0", 2) + std::string(8, '\0')}})), "ok") << "0";
  EXPECT_NE(ErrorOf(EditOf({{2, std::string("\1\0", 2) + std::string(8, '\xff')}})), "ok") << "NaN";
  EXPECT_EQ(ErrorOf(EditOf({{3, Numbers({kMaxSequenceNumber})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{3, Numbers({kMaxSequenceNumber + 1})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{3, Numbers({1, 2})}})), "ok") << "too long";
  EXPECT_NE(ErrorOf(EditOf({{3, "1234567"}})), "ok") << "too short";
  EXPECT_EQ(ErrorOf(EditOf({{4, Numbers({past})}})), "ok") << "one above the last";
  EXPECT_NE(ErrorOf(EditOf({{4, Numbers({past + 1})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{4, Numbers({0})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{5, Numbers({0})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{5, Numbers({past})}})), "ok");
  EXPECT_EQ(ErrorOf(EditOf({{6, "\6" + Numbers({1, 1})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{6, "\7" + Numbers({1, 1})}})), "ok") << "level";
  EXPECT_NE(ErrorOf(EditOf({{6, "\1" + Numbers({1, 0})}})), "ok") << "number";
  EXPECT_NE(ErrorOf(EditOf({{7, "\7"}})), "ok") << "level";
  EXPECT_NE(ErrorOf(EditOf({{8, Numbers({1, 2})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{9, Numbers({past, 2, 3})}})), "ok");
  EXPECT_NE(ErrorOf(EditOf({{10, Numbers({1, 2, 3})}})), "ok");
}

TEST(VersionEdit, AFieldThatClaimsMoreThanThereIsIsRefused) {
  std::string body("\1\1", 2);
  AppendFixed32(&body, 0xffffffff);
  EXPECT_EQ(ErrorOf(Sealed(body + "name")), "version edit: cut short, at byte 6");
}

TEST(VersionEdit, TablesThatCannotBeAreRefused) {
  const TableMeta good = MakeMeta(5, "a", "z", {3, 8});
  EXPECT_EQ(ErrorOf(good), "ok");
  const auto error_with = [&](auto member, uint64_t value) {
    TableMeta meta = good;
    meta.*member = value;
    return ErrorOf(meta);
  };
  EXPECT_NE(error_with(&TableMeta::epoch, 0), "ok");
  EXPECT_NE(error_with(&TableMeta::number, kMaxFileNumber + 1), "ok");
  EXPECT_NE(error_with(&TableMeta::file_size_bytes, 0), "ok");
  EXPECT_NE(error_with(&TableMeta::tail_size_bytes, 0), "ok");
  EXPECT_EQ(error_with(&TableMeta::tail_size_bytes, 1006),
            "version edit: field 7: table 000001-000000000005.sst: tail size 1006, expected 1 to "
            "1005");
  EXPECT_NE(error_with(&TableMeta::smallest_sequence, 9), "ok");
  EXPECT_NE(error_with(&TableMeta::smallest_sequence, 4), "ok") << "the largest key has 3";
  EXPECT_NE(error_with(&TableMeta::largest_sequence, 7), "ok") << "the smallest key has 8";
  EXPECT_NE(error_with(&TableMeta::largest_sequence, kMaxSequenceNumber + 1), "ok");
  EXPECT_NE(error_with(&TableMeta::entries, 0), "ok");
  EXPECT_NE(error_with(&TableMeta::distinct_keys, 0), "ok");
  EXPECT_NE(error_with(&TableMeta::distinct_keys, 11), "ok");
  EXPECT_NE(error_with(&TableMeta::tombstones, 11), "ok");
  TableMeta meta = good;
  meta.id = {};
  EXPECT_NE(ErrorOf(meta), "ok");
  meta = good;
  meta.smallest = "1234567";
  EXPECT_NE(ErrorOf(meta), "ok") << "no internal key";
  meta = good;
  meta.largest.clear();
  EXPECT_NE(ErrorOf(meta), "ok") << "no internal key";
}

// Sixteen bytes a line, offset first.
std::string HexDump(std::string_view bytes) {
  std::string dump;
  for (size_t i = 0; i < bytes.size(); i += 16) {
    absl::StrAppend(&dump, absl::Hex(i, absl::kZeroPad4), " ");
    for (const char c : bytes.substr(i, 16)) {
      absl::StrAppend(&dump, " ", absl::BytesToHexString(absl::string_view(&c, 1)));
    }
    absl::StrAppend(&dump, "\n");
  }
  return dump;
}

// The text of the first code block behind `marker`, in the first of the documents that has it.
std::string CodeBlockBehind(const std::string& marker) {
  for (const char* name : {"/FORMAT.md"}) {
    std::ifstream file(std::string(SILTSTONE_SOURCE_DIR) + name);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string document = text.str();
    size_t start = document.find(marker);
    if (start == std::string::npos) continue;
    start = document.find("```\n", start) + 4;
    return document.substr(start, document.find("```", start) - start);
  }
  return "";
}

TEST(VersionEdit, TheExampleOfTheFormatDocumentIsWhatIsWritten) {
  TableMeta meta;
  meta.epoch = 3;
  meta.number = 17;
  meta.file_size_bytes = 4660;
  meta.tail_size_bytes = 564;
  meta.id = {0x0011223344556677, 0x8899aabbccddeeff};
  meta.smallest_sequence = 5;
  meta.largest_sequence = 8;
  meta.entries = 4;
  meta.distinct_keys = 3;
  meta.tombstones = 1;
  meta.raw_key_bytes = 12;
  meta.raw_value_bytes = 15;
  meta.smallest = MakeInternalKey("ash", PackTrailer(5, ValueType::kValue));
  meta.largest = MakeInternalKey("oak", PackTrailer(8, ValueType::kDeletion));
  VersionEdit edit;
  edit.last_sequence = 8;
  edit.next_file_number = 18;
  edit.added = {{0, meta}};
  edit.logs_retired = {{3, 12}};
  EXPECT_EQ(CodeBlockBehind("<!-- example: version edit -->"), HexDump(EncodeVersionEdit(edit)));
}

}  // namespace
}  // namespace siltstone
