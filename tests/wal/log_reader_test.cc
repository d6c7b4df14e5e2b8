#include "engine/wal/log_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/wal/log_bytes.h"

namespace siltstone {
namespace {

constexpr LogReadOptions kSalvage = {.salvage = true, .live = false};
constexpr LogReadOptions kLive = {.salvage = false, .live = true};

std::string Text(size_t size, uint64_t seed) {
  Random random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random.Next());
  return text;
}

TEST(LogReader, GivesRecordsInOrderThenTheEnd) {
  LogUnderTest log(1 << 20);
  for (size_t i = 0; i < 200; ++i) log.Append(Text(i * 3, i), i + 1);
  auto reader =
      LogReader::Open(std::make_unique<StringFile>(&log.bytes()), "test.log", TestExpectation());
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->header().number, 7u);
  LogRecord record;
  for (size_t i = 0; i < 200; ++i) {
    const auto more = (*reader)->Next(&record);
    ASSERT_TRUE(more.ok() && *more) << more.status();
    EXPECT_EQ(record.payload, Text(i * 3, i));
    EXPECT_EQ(record.sequence, i + 1);
    EXPECT_EQ(record.offset, log.offsets[i]);
  }
  for (int i = 0; i < 3; ++i) {
    const auto more = (*reader)->Next(&record);
    ASSERT_TRUE(more.ok());
    EXPECT_FALSE(*more);
  }
  EXPECT_EQ((*reader)->valid_size_bytes(), log.writer->size_bytes());
  EXPECT_EQ((*reader)->torn_bytes(), 0u);
  EXPECT_TRUE((*reader)->damage().ok());
}

TEST(LogReader, AnEmptyLogEndsAtOnce) {
  const LogUnderTest log(4096);
  const ReadLog read = ReadAll(log.bytes());
  EXPECT_TRUE(read.status.ok());
  EXPECT_TRUE(read.payloads.empty());
  EXPECT_EQ(read.valid_size, kLogHeaderBytes);
}

TEST(LogReader, ErrorsStay) {
  LogUnderTest log(4096);
  log.Append("one");
  log.Sync();
  std::string bytes = log.bytes();
  bytes[kLogHeaderBytes] = static_cast<char>(bytes[kLogHeaderBytes] ^ 1);
  auto reader =
      LogReader::Open(std::make_unique<StringFile>(&bytes), "test.log", TestExpectation());
  ASSERT_TRUE(reader.ok());
  LogRecord record;
  const absl::Status first = (*reader)->Next(&record).status();
  EXPECT_TRUE(absl::IsDataLoss(first));
  EXPECT_EQ((*reader)->Next(&record).status(), first);
}

TEST(LogReader, ReadsALargeLogInChunksAndLargeRecordsWhole) {
  LogUnderTest log(size_t{12} << 20);
  const uint64_t chunk = LogWindow::kChunkBytes;
  for (const uint64_t size :
       {chunk - 500, uint64_t{100}, chunk, 3 * chunk + 1, uint64_t{6} << 20, uint64_t{9}}) {
    log.Append(Text(size, size));
  }
  for (uint64_t i = 0; i < 5000; ++i) log.Append(Text(i % 300, i));
  auto file = std::make_unique<StringFile>(&log.bytes());
  const StringFile* const observed = file.get();
  auto reader = LogReader::Open(std::move(file), "test.log", TestExpectation());
  ASSERT_TRUE(reader.ok());
  LogRecord record;
  for (const std::string& payload : log.payloads) {
    const auto more = (*reader)->Next(&record);
    ASSERT_TRUE(more.ok() && *more) << more.status();
    ASSERT_EQ(record.payload, payload);
  }
  EXPECT_FALSE(*(*reader)->Next(&record));
  EXPECT_LT(observed->reads, 80u);
  EXPECT_LT(observed->bytes_read, 2 * log.bytes().size());
}

TEST(LogReader, ATornRecordOfManyMebibytesIsATornTail) {
  LogUnderTest log(size_t{16} << 20);
  log.Append("small");
  log.Sync();
  const uint64_t good = log.writer->size_bytes();
  log.Append(Text(size_t{8} << 20, 1));
  std::string bytes = log.bytes();
  bytes.replace(size_t{4} << 20, std::string::npos,
                std::string(bytes.size() - (size_t{4} << 20), '\0'));
  ReadLog read = ReadAll(bytes);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.payloads.size(), 1u);
  EXPECT_EQ(read.torn_bytes, (size_t{4} << 20) - good);

  bytes = log.bytes();
  bytes[size_t{4} << 20] = static_cast<char>(bytes[size_t{4} << 20] ^ 1);
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(bytes).status));
  bytes.replace(size_t{5} << 20, kSectorBytes, std::string(kSectorBytes, '\0'));
  EXPECT_TRUE(ReadAll(bytes).status.ok());
}

TEST(LogReader, ErrorsOfTheFileAreNoDamage) {
  class FailingFile final : public RandomAccessFile {
   public:
    explicit FailingFile(const std::string* bytes) : file_(bytes) {}
    absl::Status Read(uint64_t offset, std::span<char> out) const override {
      if (offset > 0) return absl::UnavailableError("cannot read");
      return file_.Read(offset, out);
    }
    uint64_t size_bytes() const override { return file_.size_bytes(); }

   private:
    StringFile file_;
  };
  LogUnderTest log(4096);
  log.Append("one");
  for (const bool salvage : {false, true}) {
    auto reader = LogReader::Open(std::make_unique<FailingFile>(&log.bytes()), "test.log",
                                  TestExpectation(), {.salvage = salvage, .live = false});
    ASSERT_TRUE(reader.ok());
    LogRecord record;
    EXPECT_TRUE(absl::IsUnavailable((*reader)->Next(&record).status()));
  }
}

// Salvage.

TEST(LogReader, SalvageGoesOnBehindDamage) {
  LogUnderTest log(8192);
  for (size_t i = 0; i < 8; ++i) {
    log.Append(Text(100 * i, i), i + 1);
    log.Sync();
  }
  for (size_t lost = 0; lost < 8; ++lost) {
    for (size_t at = 0; at < RecordBytes(100 * lost); at += 8) {
      std::string bytes = log.bytes();
      bytes[log.offsets[lost] + at] = static_cast<char>(bytes[log.offsets[lost] + at] ^ 4);
      const ReadLog read = ReadAll(bytes, TestExpectation(), kSalvage);
      ASSERT_TRUE(read.status.ok()) << read.status;
      ASSERT_TRUE(absl::IsDataLoss(read.damage)) << lost << " " << at;
      std::vector<std::string> expected = log.payloads;
      expected.erase(expected.begin() + static_cast<ptrdiff_t>(lost));
      ASSERT_EQ(read.payloads, expected) << lost << " " << at;
      ASSERT_EQ(read.skipped_bytes, RecordBytes(100 * lost));
    }
  }
}

TEST(LogReader, SalvageReadsWhatIsLeftOfALogCutShort) {
  LogUnderTest log(8192);
  for (size_t i = 0; i < 8; ++i) log.Append(Text(100 * i, i), i + 1);
  log.Sync();
  LogExpectation sealed = TestExpectation();
  sealed.sealed_size = log.writer->size_bytes();
  for (size_t size = kLogHeaderBytes; size < log.writer->size_bytes(); size += 5) {
    for (const LogExpectation& expectation : {TestExpectation(), sealed}) {
      const ReadLog read = ReadAll(log.bytes().substr(0, size), expectation, kSalvage);
      ASSERT_TRUE(read.status.ok()) << read.status;
      ASSERT_TRUE(absl::IsDataLoss(read.damage));
      size_t whole = 0;
      while (log.offsets[whole] + RecordBytes(log.payloads[whole].size()) <= size) ++whole;
      ASSERT_EQ(read.payloads.size(), whole) << size;
    }
  }
}

TEST(LogReader, SalvageOfASealedLogGoesOnBehindDamage) {
  LogUnderTest log(8192);
  for (size_t i = 0; i < 5; ++i) log.Append(Text(40, i), i + 1);
  log.Sync();
  LogExpectation expectation = TestExpectation();
  expectation.sealed_size = log.writer->size_bytes();
  std::string bytes = log.bytes();
  bytes[log.offsets[1] + 45] = 0;
  bytes[log.offsets[1] + 46] = 0;
  const ReadLog read = ReadAll(bytes, expectation, kSalvage);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_TRUE(absl::IsDataLoss(read.damage));
  EXPECT_EQ(read.payloads.size(), 4u);
}

TEST(LogReader, SalvageNeedsTheHeader) {
  LogUnderTest log(4096);
  log.Append("one");
  std::string bytes = log.bytes();
  bytes[70] = static_cast<char>(bytes[70] ^ 1);
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(bytes, TestExpectation(), kSalvage).status));
}

TEST(LogReader, SalvageOfAWholeLogNotesNothing) {
  LogUnderTest log(4096);
  log.Append("one");
  const ReadLog read = ReadAll(log.bytes(), TestExpectation(), kSalvage);
  EXPECT_TRUE(read.damage.ok());
  EXPECT_EQ(read.skipped_bytes, 0u);
  EXPECT_EQ(read.payloads, log.payloads);
}

// Beside a writer.

// Bytes of which the last record is written in part, in any order of pages: never damage, and read whole
// once it is.
TEST(LogReader, BesideAWriterAHalfWrittenRecordEndsTheLog) {
  LogUnderTest log(8192);
  log.Append("first", 1);
  log.Sync();
  const std::string before = log.bytes();
  log.Append(Text(1500, 5), 2);
  const uint64_t at = log.offsets[1], size = RecordBytes(1500);
  for (size_t hole = 0; hole < size; hole += 3) {
    std::string bytes = log.bytes();
    bytes.replace(at + hole, std::min<size_t>(size - hole, 100), before, at + hole,
                  std::min<size_t>(size - hole, 100));
    const ReadLog read = ReadAll(bytes, TestExpectation(), kLive);
    ASSERT_TRUE(read.status.ok()) << hole << read.status;
    ASSERT_EQ(read.payloads.size(), 1u);
  }
}

// The file as its writer changes it between the reads.
class ChangingFile final : public RandomAccessFile {
 public:
  ChangingFile(std::vector<const std::string*> states, std::vector<size_t> reads_until)
      : states_(std::move(states)), reads_until_(std::move(reads_until)) {}
  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    size_t now = 0;
    while (now < reads_until_.size() && reads_ >= reads_until_[now]) ++now;
    ++reads_;
    states_[now]->copy(out.data(), out.size(), offset);
    return absl::OkStatus();
  }
  uint64_t size_bytes() const override { return states_[0]->size(); }

 private:
  std::vector<const std::string*> states_;
  std::vector<size_t> reads_until_;
  mutable size_t reads_ = 0;
};

// Wherever between two reads the writer gets on, the records read are the first of those written.
TEST(LogReader, BesideAWriterThatGetsOnNothingIsDamage) {
  LogUnderTest log(size_t{3} << 20);
  std::vector<std::string> states;
  for (size_t i = 0; i < 3; ++i) {
    log.Append("synced", 1);
    log.Append(Text(LogWindow::kChunkBytes / 3, i), 1);
    log.Sync();
    states.push_back(log.bytes());
  }
  // A record half written, then whole, synced, and with synced ones behind it.
  log.Append(Text(2000, 9), 1);
  std::string half = log.bytes();
  half.replace(log.offsets.back() + 700, 1400, std::string(1400, '\0'));
  states.push_back(half);
  log.Sync();
  for (int i = 0; i < 4; ++i) {
    log.Append(Text(LogWindow::kChunkBytes / 2, 7), 1);
    log.Sync();
  }
  states.push_back(log.bytes());
  for (size_t first = 0; first < 12; ++first) {
    for (size_t start = 0; start + 1 < states.size(); ++start) {
      for (size_t next = start + 1; next < states.size(); ++next) {
        auto file = std::make_unique<ChangingFile>(
            std::vector<const std::string*>{&states[start], &states[next], &states.back()},
            std::vector<size_t>{first, first + 2});
        auto reader = LogReader::Open(std::move(file), "test.log", TestExpectation(), kLive);
        ASSERT_TRUE(reader.ok()) << reader.status();
        LogRecord record;
        size_t count = 0;
        for (;;) {
          const auto more = (*reader)->Next(&record);
          ASSERT_TRUE(more.ok()) << more.status();
          if (!*more) break;
          ASSERT_EQ(record.payload, log.payloads[count++]);
        }
        ASSERT_GE(count, (start + 1) * 2 - (start == 3 ? 2 : 0));
      }
    }
  }
}

TEST(LogReader, BesideAWriterDamageBelowASyncedOffsetIsDamage) {
  LogUnderTest log(4096);
  for (int i = 0; i < 4; ++i) {
    log.Append("record", 1);
    log.Sync();
  }
  std::string bytes = log.bytes();
  bytes[log.offsets[1] + 41] = static_cast<char>(bytes[log.offsets[1] + 41] ^ 1);
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(bytes, TestExpectation(), kLive).status));
}

TEST(LogReader, BesideAWriterThatGrewTheFileRecordsEndWithTheKnownSize) {
  LogUnderTest log(600);
  log.Append("first", 1);
  log.Append(std::string(2000, 'x'), 2);
  const std::string known = log.bytes().substr(0, 600);
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(known).status));
  const ReadLog read = ReadAll(known, TestExpectation(), kLive);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.payloads.size(), 1u);
}

}  // namespace
}  // namespace siltstone
