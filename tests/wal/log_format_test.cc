#include "engine/wal/log_format.h"

#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/random.h"
#include "tests/wal/log_bytes.h"

namespace siltstone {
namespace {

std::string HexDump(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (i % 16 == 0) {
      for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(i >> shift) & 15];
      out += ' ';
    }
    if (i % 4 == 0) out += ' ';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
    if (i % 16 == 15 || i + 1 == bytes.size()) out += '\n';
  }
  return out;
}

// The worked example of FORMAT.md, "Log". It never changes while the version is 1.
constexpr char kExample[] = R"(0000  53696c74 4c6f670a 01000000 01000000
0010  77665544 33221100 ffeeddcc bbaa9988
0020  01000000 00000000 07000000 00000000
0030  00000000 00000000 00000000 00000000
0040  efcdab89 67452301 00010000 00000000
0050  00000000 00000000 50a09ca5 fc186da1
0060  ff64427c 01000000 0a000000 00000000
0070  2a000000 00000000 60000000 00000000
0080  b5aa1923 66555f8e 3c6ef291 d776f2ee
0090  06e00000 000000a5 00000000 00000000
)";

TEST(LogFormat, TheExampleOfTheFormatDocumentIsWhatIsWritten) {
  LogUnderTest log(256);
  log.Append("hello, log", 42);
  EXPECT_EQ(HexDump(std::string_view(log.bytes()).substr(0, 160)), kExample);
  EXPECT_EQ(log.bytes().substr(160), std::string(96, '\0'));
}

TEST(LogFormat, HeaderComesBackAsItWas) {
  LogHeader header = TestLogHeader();
  header.kind = LogKind::kManifest;
  header.predecessor_number = 6;
  header.predecessor_sealed_size = 12345;
  header.allocated_bytes = 1 << 20;
  const std::string bytes = EncodeLogHeader(header);
  ASSERT_EQ(bytes.size(), kLogHeaderBytes);
  const auto decoded = DecodeLogHeader(bytes, "f");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(EncodeLogHeader(*decoded), bytes);
  EXPECT_EQ(decoded->kind, LogKind::kManifest);
  EXPECT_EQ(decoded->database_id, kTestDatabase);
  EXPECT_EQ(decoded->predecessor_sealed_size, 12345u);
}

TEST(LogFormat, EveryBitOfTheHeaderCounts) {
  const std::string good = EncodeLogHeader(TestLogHeader());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    const auto decoded = DecodeLogHeader(bad, "some.log");
    ASSERT_TRUE(absl::IsDataLoss(decoded.status())) << bit;
    EXPECT_NE(decoded.status().message().find("in some.log at offset 0 size 96"),
              absl::string_view::npos);
  }
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeLogHeader(good.substr(0, size), "f").status())) << size;
  }
}

TEST(LogFormat, FieldsThatNoWriterWritesAreRefusedUnderARightChecksum) {
  const auto with = [](size_t at, uint32_t value) {
    std::string bytes = EncodeLogHeader(TestLogHeader());
    StoreFixed32(bytes.data() + at, value);
    StoreFixed64(bytes.data() + 88, Checksum64(std::string_view(bytes).substr(0, 88)));
    return DecodeLogHeader(bytes, "f").status();
  };
  EXPECT_TRUE(with(8, 1).ok());
  EXPECT_TRUE(absl::IsDataLoss(with(8, 2)));
  EXPECT_TRUE(absl::IsDataLoss(with(12, 0)));
  EXPECT_TRUE(absl::IsDataLoss(with(12, 3)));
  EXPECT_TRUE(absl::IsDataLoss(with(80, 1)));
}

TEST(LogFormat, RecordsFillMultiplesOfEight) {
  EXPECT_EQ(RecordBytes(0), 48u);
  EXPECT_EQ(RecordBytes(7), 48u);
  EXPECT_EQ(RecordBytes(8), 56u);
  EXPECT_EQ(RecordBytes(kMaxLogPayloadBytes), 40 + (uint64_t{1} << 32));
}

TEST(LogFormat, MaskingTwiceGivesTheBytesBackWherever) {
  Random random(7);
  for (size_t size = 0; size < 40; ++size) {
    std::string plain(size, '\0');
    for (char& c : plain) c = static_cast<char>(random.Next());
    std::string masked(size, '\0'), back = plain;
    MaskBytes(99, 8 * size, plain.data(), size, masked.data());
    MaskBytes(99, 8 * size, back.data(), size, back.data());  // in place
    EXPECT_EQ(masked, back);
    MaskBytes(99, 8 * size, back.data(), size, back.data());
    EXPECT_EQ(back, plain);
  }
}

TEST(LogFormat, MaskedZeroesHaveNoZeroWord) {
  const std::string zeroes(1 << 16, '\0');
  std::string masked = zeroes;
  MaskBytes(TestLogHeader().mask, 96, zeroes.data(), zeroes.size(), masked.data());
  for (size_t i = 0; i < masked.size(); i += 8) EXPECT_NE(LoadFixed64(&masked[i]), 0u);
}

TEST(LogFormat, ARecordHeaderIsBoundToItsLogAndItsPlace) {
  RecordHeader header;
  header.payload_bytes = 100;
  header.first_sequence = 5;
  header.synced_offset = 96;
  header.payload_checksum = 77;
  const TableId log = LogIdentity(TestLogHeader());
  char bytes[kRecordHeaderBytes];
  EncodeRecordHeader(header, log, 1000, bytes);
  EXPECT_TRUE(MayBeRecordHeader(bytes));
  const RecordCheck good = CheckRecordHeader(bytes, log, 1000);
  ASSERT_TRUE(good.valid());
  EXPECT_EQ(good.header.payload_bytes, 100u);
  EXPECT_EQ(good.header.synced_offset, 96u);

  EXPECT_FALSE(CheckRecordHeader(bytes, log, 1008).valid());
  EXPECT_FALSE(CheckRecordHeader(bytes, LogIdentity(TestLogHeader(8)), 1000).valid());
  LogHeader other_mask = TestLogHeader();
  other_mask.mask ^= 1;
  EXPECT_FALSE(CheckRecordHeader(bytes, LogIdentity(other_mask), 1000).valid());
  for (size_t bit = 0; bit < sizeof(bytes) * 8; ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(CheckRecordHeader(bytes, log, 1000).fault, RecordFault::kHeaderChecksum) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(LogFormat, ARecordHeaderFromTheFutureIsNoHeader) {
  RecordHeader header;
  header.synced_offset = 1008;  // behind the record that carries it
  const TableId log = LogIdentity(TestLogHeader());
  char bytes[kRecordHeaderBytes];
  EncodeRecordHeader(header, log, 1000, bytes);
  EXPECT_EQ(CheckRecordHeader(bytes, log, 1000).fault, RecordFault::kHeaderFields);
  header.synced_offset = 1000;
  header.type = RecordType::kAllocation;  // of no bytes
  EncodeRecordHeader(header, log, 1000, bytes);
  EXPECT_EQ(CheckRecordHeader(bytes, log, 1000).fault, RecordFault::kHeaderFields);
  header.type = static_cast<RecordType>(3);
  EncodeRecordHeader(header, log, 1000, bytes);
  EXPECT_EQ(CheckRecordHeader(bytes, log, 1000).fault, RecordFault::kHeaderFields);
  EXPECT_FALSE(MayBeRecordHeader(bytes));
}

}  // namespace
}  // namespace siltstone
