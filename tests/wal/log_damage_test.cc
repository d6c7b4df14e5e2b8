#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/random.h"
#include "tests/wal/log_bytes.h"

// Damage to logs that were written and synced in full: nothing wrong is returned, and nothing that was
// synced is passed over in silence.

namespace siltstone {
namespace {

std::string Flip(std::string bytes, size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  return bytes;
}

bool NamesItsPlace(const absl::Status& status) {
  const std::string message(status.message());
  return message.find(", in test.log at offset ") != std::string::npos &&
         message.find(" size ") != std::string::npos;
}

bool SameSector(uint64_t one, uint64_t other) { return one / kSectorBytes == other / kSectorBytes; }

// Records of many sizes over several sectors, each synced; the last one too.
LogUnderTest SyncedLog(uint64_t allocated) {
  LogUnderTest log(allocated);
  SequenceNumber sequence = 1;
  for (const size_t size : {5, 0, 8, 300, 17, 1, 600, 23}) {
    log.Append(std::string(size, static_cast<char>('a' + sequence)), sequence);
    log.Sync();
    ++sequence;
  }
  return log;
}

TEST(LogDamage, EveryBitOfASyncedLogCounts) {
  const LogUnderTest log = SyncedLog(2048);
  const std::string& good = log.bytes();
  const uint64_t end = log.writer->size_bytes();
  ASSERT_EQ(ReadAll(good).payloads, log.payloads);
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    const ReadLog read = ReadAll(Flip(good, bit));
    if (bit / 8 < end) {
      ASSERT_TRUE(absl::IsDataLoss(read.status)) << "byte " << bit / 8 << ": " << read.status;
      ASSERT_TRUE(NamesItsPlace(read.status)) << read.status;
    } else if (bit / 8 >= end + kRecordHeaderBytes - 1 && SameSector(bit / 8, end)) {
      // Looks like a record that has lost its header, or the start of it: refused, to be on the safe side.
      ASSERT_TRUE(absl::IsDataLoss(read.status)) << "byte " << bit / 8;
    } else {
      ASSERT_TRUE(read.status.ok()) << "byte " << bit / 8 << ": " << read.status;
      ASSERT_EQ(read.payloads, log.payloads);
      ASSERT_EQ(read.torn_bytes, bit / 8 + 1 - end);
      ASSERT_EQ(read.valid_size, end);
    }
  }
}

TEST(LogDamage, EveryBitOfALogWithAnAllocationRecordCounts) {
  const LogUnderTest log = SyncedLog(600);
  ASSERT_EQ(log.bytes().size(), size_t{1} << 20);
  const std::string good = log.bytes();
  ASSERT_EQ(ReadAll(good).payloads, log.payloads);
  std::string bytes = good;
  for (size_t bit = 0; bit < log.writer->size_bytes() * 8; bit += 11) {
    bytes[bit / 8] = static_cast<char>(good[bit / 8] ^ (1 << bit % 8));
    ASSERT_TRUE(absl::IsDataLoss(ReadAll(bytes).status)) << bit / 8;
    bytes[bit / 8] = good[bit / 8];
  }
}

TEST(LogDamage, EveryByteOfASealedLogCountsAndNoneBehind) {
  const LogUnderTest log = SyncedLog(2048);
  LogExpectation expectation = TestExpectation();
  expectation.sealed_size = log.writer->size_bytes();
  for (size_t bit = 0; bit < log.bytes().size() * 8; bit += 3) {
    const ReadLog read = ReadAll(Flip(log.bytes(), bit), expectation);
    if (bit / 8 < *expectation.sealed_size) {
      ASSERT_TRUE(absl::IsDataLoss(read.status)) << bit / 8;
      ASSERT_TRUE(NamesItsPlace(read.status)) << read.status;
    } else {
      ASSERT_TRUE(read.status.ok()) << bit / 8 << read.status;
      ASSERT_EQ(read.payloads, log.payloads);
      ASSERT_EQ(read.torn_bytes, 0u);
    }
  }
}

TEST(LogDamage, EveryCutIsNoticed) {
  for (const uint64_t allocated : {600, 2048}) {
    const LogUnderTest log = SyncedLog(allocated);
    for (size_t size = 0; size < log.bytes().size(); size += size < 3000 ? 1 : 4099) {
      const ReadLog read = ReadAll(log.bytes().substr(0, size));
      ASSERT_TRUE(absl::IsDataLoss(read.status)) << size;
      ASSERT_TRUE(NamesItsPlace(read.status)) << read.status;
    }
  }
}

TEST(LogDamage, ASealedLogMayBeCutToItsSealedSizeOnly) {
  const LogUnderTest log = SyncedLog(2048);
  LogExpectation expectation = TestExpectation();
  expectation.sealed_size = log.writer->size_bytes();
  for (size_t size = 0; size <= log.bytes().size(); ++size) {
    const ReadLog read = ReadAll(log.bytes().substr(0, size), expectation);
    if (size < *expectation.sealed_size) {
      ASSERT_TRUE(absl::IsDataLoss(read.status)) << size;
    } else {
      ASSERT_TRUE(read.status.ok()) << size << read.status;
      ASSERT_EQ(read.payloads, log.payloads);
    }
  }
}

TEST(LogDamage, ASealedLogThatGrewMayBeCutToItsSealedSize) {
  const LogUnderTest log = SyncedLog(600);
  LogExpectation expectation = TestExpectation();
  expectation.sealed_size = log.writer->size_bytes();
  const ReadLog read = ReadAll(log.bytes().substr(0, log.writer->size_bytes()), expectation);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.payloads, log.payloads);
}

TEST(LogDamage, ASealedSizeThatIsNoEndOfARecordIsDamage) {
  const LogUnderTest log = SyncedLog(2048);
  LogExpectation expectation = TestExpectation();
  std::set<uint64_t> ends(log.offsets.begin(), log.offsets.end());
  ends.insert(log.writer->size_bytes());
  for (uint64_t sealed = 0; sealed <= log.bytes().size() + 9; ++sealed) {
    expectation.sealed_size = sealed;
    const ReadLog read = ReadAll(log.bytes(), expectation);
    ASSERT_EQ(read.status.ok(), ends.contains(sealed)) << sealed << read.status;
    if (!read.status.ok()) {
      ASSERT_TRUE(absl::IsDataLoss(read.status));
    }
  }
}

TEST(LogDamage, TheManifestsMinimumSizeHolds) {
  const LogUnderTest log = SyncedLog(2048);
  LogExpectation expectation = TestExpectation();
  expectation.minimum_size = 2048;
  EXPECT_TRUE(ReadAll(log.bytes(), expectation).status.ok());
  expectation.minimum_size = 2049;
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(log.bytes(), expectation).status));
}

// A whole synced record zeroed, with others behind it: they were written after its sync.
TEST(LogDamage, AZeroedRecordBelowASyncedOffsetIsDamage) {
  const LogUnderTest log = SyncedLog(2048);
  for (size_t i = 0; i + 1 < log.offsets.size(); ++i) {
    std::string bytes = log.bytes();
    const uint64_t size = RecordBytes(log.payloads[i].size());
    bytes.replace(log.offsets[i], size, std::string(size, '\0'));
    const ReadLog read = ReadAll(bytes);
    ASSERT_TRUE(absl::IsDataLoss(read.status)) << i;
    EXPECT_NE(read.status.message().find("was synced"), absl::string_view::npos) << read.status;
    EXPECT_NE(read.status.message().find(absl::StrCat("at offset ", log.offsets[i], " ")),
              absl::string_view::npos);
    EXPECT_EQ(read.payloads.size(), i);
  }
  // The last record's zeroes are those of a log that ended before it: the one thing not to be told.
  std::string bytes = log.bytes();
  bytes.replace(log.offsets.back(), std::string::npos,
                std::string(bytes.size() - log.offsets.back(), '\0'));
  EXPECT_EQ(ReadAll(bytes).payloads.size(), log.payloads.size() - 1);
}

// Every sector of a synced log zeroed, alone: a later record is left to tell.
TEST(LogDamage, AZeroedSectorBelowASyncedOffsetIsDamage) {
  LogUnderTest log = SyncedLog(8192);
  const uint64_t synced = log.writer->size_bytes();
  log.Append(std::string(600, 'w'));
  log.Append("the witness");
  for (uint64_t sector = 0; sector < synced; sector += kSectorBytes) {
    std::string bytes = log.bytes();
    bytes.replace(sector, kSectorBytes, std::string(kSectorBytes, '\0'));
    EXPECT_TRUE(absl::IsDataLoss(ReadAll(bytes).status)) << sector;
  }
}

// The witness is found wherever it stands in the chunks the file is read by.
TEST(LogDamage, AWitnessFarBehindIsFound) {
  std::vector<uint64_t> distances = {3 * LogWindow::kChunkBytes};
  for (uint64_t d = LogWindow::kChunkBytes - 64; d <= LogWindow::kChunkBytes + 64; d += 8) {
    distances.push_back(d);
  }
  for (const uint64_t distance : distances) {
    LogUnderTest log(4 * LogWindow::kChunkBytes);
    log.Append(std::string(distance - kRecordHeaderBytes - 1, 'd'));
    log.Sync();
    log.Append("the witness");
    ASSERT_EQ(log.offsets[1] - log.offsets[0], distance);
    std::string bytes = log.bytes();
    bytes[log.offsets[1] - 1] = '\0';  // as if torn
    const ReadLog read = ReadAll(bytes);
    ASSERT_TRUE(absl::IsDataLoss(read.status)) << distance << read.status;
  }
}

TEST(LogDamage, AGarbageTailIsDamageAndAZeroTailIsTheEnd) {
  const LogUnderTest log = SyncedLog(2048);
  std::string garbage = log.bytes();
  for (size_t i = log.writer->size_bytes(); i < garbage.size(); ++i) garbage[i] = 'g';
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(garbage).status));
  const ReadLog read = ReadAll(log.bytes() + std::string(100000, '\0'));
  EXPECT_TRUE(read.status.ok());
  EXPECT_EQ(read.payloads, log.payloads);
  EXPECT_EQ(read.torn_bytes, 0u);
}

// A nonzero byte in each of the last places of the file, where no further record fits. Up to the length of a header it may
// be what a kill left of one.
TEST(LogDamage, BytesTooFewForARecordAreATornTail) {
  LogUnderTest log(kLogHeaderBytes + kAllocationRecordBytes);
  ASSERT_EQ(log.bytes().size(), 152u);
  for (size_t extra = 0; extra < 16; ++extra) {
    for (size_t at = 96; at < 152 + extra; ++at) {
      std::string bytes = log.bytes() + std::string(extra, '\0');
      bytes[at] = 'x';
      const ReadLog read = ReadAll(bytes);
      ASSERT_EQ(read.status.ok(), at < 96 + kRecordHeaderBytes - 1) << at << read.status;
      if (read.status.ok()) {
        ASSERT_EQ(read.torn_bytes, at + 1 - 96);
      }
    }
  }
}

TEST(LogDamage, ALogOfAnotherIdentityIsRefused) {
  const LogUnderTest log = SyncedLog(2048);
  LogExpectation expectation = TestExpectation();
  expectation.kind = LogKind::kManifest;
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(log.bytes(), expectation).status));
  expectation = TestExpectation();
  expectation.database_id.low ^= 1;
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(log.bytes(), expectation).status));
  expectation.database_id = {};
  EXPECT_TRUE(ReadAll(log.bytes(), expectation).status.ok());
  expectation = TestExpectation();
  expectation.epoch = 2;
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(log.bytes(), expectation).status));
  expectation = TestExpectation(8);
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(log.bytes(), expectation).status));
}

// Records of an older log of the same number and epoch, or of another log, at the very same offsets.
TEST(LogDamage, RecordsOfOtherLogsAreNeverRead) {
  LogHeader older = TestLogHeader();
  older.mask ^= 0x8000;
  for (const LogHeader& header : {older, TestLogHeader(8)}) {
    LogUnderTest ours(2048), theirs(2048, header);
    for (int i = 0; i < 4; ++i) {
      ours.Append("ours", 1);
      theirs.Append("them", 1);
      ours.Sync();
      theirs.Sync();
    }
    for (size_t i = 0; i < ours.offsets.size(); ++i) {
      std::string bytes = ours.bytes();
      bytes.replace(ours.offsets[i], 48, theirs.bytes(), theirs.offsets[i], 48);
      ASSERT_TRUE(absl::IsDataLoss(ReadAll(bytes).status));
    }
    std::string tail = ours.bytes();
    tail.replace(ours.writer->size_bytes(), 48, theirs.bytes(), theirs.offsets[2], 48);
    EXPECT_TRUE(absl::IsDataLoss(ReadAll(tail).status));
  }
  // A record of this very log at another place.
  LogUnderTest log(2048);
  for (int i = 0; i < 4; ++i) log.Append("same", 1);
  std::string bytes = log.bytes();
  bytes.replace(log.offsets[1], 48, log.bytes(), log.offsets[2], 48);
  EXPECT_TRUE(absl::IsDataLoss(ReadAll(bytes).status));
}

// Payloads made of copies of valid records are not taken for records when the log's end is judged.
TEST(LogDamage, APayloadThatLooksLikeRecordsProvesNothing) {
  LogUnderTest model(8192);
  for (int i = 0; i < 20; ++i) {
    model.Append("inner");
    model.Sync();
  }
  LogUnderTest log(8192);
  log.Append(model.bytes().substr(96, 1000));  // not synced
  std::string torn = log.bytes();
  torn[log.writer->size_bytes() - 1] = '\0';
  const ReadLog read = ReadAll(torn);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.payloads.size(), 0u);
}

// Under right checksums, lengths and sizes that no writer writes.
class ForgedLog {
 public:
  ForgedLog() : log_(4096), bytes_(log_.bytes()) {}
  void Add(RecordHeader header, std::string payload) {
    const TableId identity = LogIdentity(log_.writer->header());
    MaskBytes(log_.writer->header().mask, end_ + kRecordHeaderBytes, payload.data(), payload.size(),
              payload.data());
    header.payload_checksum = BlockChecksum(payload, identity, end_);
    const uint64_t size = RecordBytes(payload.size());
    EncodeRecordHeader(header, identity, end_, &bytes_[end_]);
    bytes_.replace(end_ + kRecordHeaderBytes, payload.size(), payload);
    bytes_[end_ + size - 1] = static_cast<char>(kEndMark);
    end_ += size;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  LogUnderTest log_;
  std::string bytes_;
  uint64_t end_ = kLogHeaderBytes;
};

TEST(LogDamage, AHugeLengthIsATornRecordAndAllocatesNothing) {
  ForgedLog log;
  RecordHeader header;
  header.payload_bytes = UINT32_MAX;
  log.Add(header, "");
  const ReadLog read = ReadAll(log.bytes());
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.payloads.size(), 0u);
  EXPECT_EQ(read.torn_bytes, 48u);
}

TEST(LogDamage, AnAllocationBeyondTheFileOrNotGrowingIsDamage) {
  RecordHeader header;
  header.type = RecordType::kAllocation;
  header.payload_bytes = 8;
  for (const uint64_t size : {uint64_t{0}, uint64_t{4096}, uint64_t{4097}, UINT64_MAX}) {
    std::string payload;
    AppendFixed64(&payload, size);
    ForgedLog log;
    log.Add(header, payload);
    EXPECT_TRUE(absl::IsDataLoss(ReadAll(log.bytes()).status)) << size;
  }
}

TEST(LogDamage, RandomDamageNeverGivesARecordThatWasNotWritten) {
  const uint64_t seed = TestSeed();
  Random random(seed);
  SCOPED_TRACE(seed);
  const LogUnderTest log = SyncedLog(2048);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = log.bytes();
    for (uint64_t i = random.Between(1, 4); i > 0; --i) {
      const size_t at = random.Uniform(bytes.size());
      const size_t size = std::min<size_t>(random.Between(1, 700), bytes.size() - at);
      switch (random.Uniform(4)) {
        case 0:
          bytes.replace(at, size, std::string(size, '\0'));
          break;
        case 1:
          bytes.replace(at, size, bytes.substr(random.Uniform(at + 1), size));
          break;
        case 2:
          bytes.erase(at, size);
          break;
        default:
          bytes[at] = static_cast<char>(random.Next());
      }
    }
    for (const bool salvage : {false, true}) {
      for (const bool live : {false, true}) {
        const ReadLog read = ReadAll(bytes, TestExpectation(), {.salvage = salvage, .live = live});
        ASSERT_TRUE(read.status.ok() || absl::IsDataLoss(read.status)) << read.status;
        for (size_t i = 0; i < read.payloads.size(); ++i) {
          const auto at = std::find(log.offsets.begin(), log.offsets.end(), read.offsets[i]);
          ASSERT_NE(at, log.offsets.end());
          const auto index = static_cast<size_t>(at - log.offsets.begin());
          ASSERT_EQ(read.payloads[i], log.payloads[index]);
          if (!salvage) {
            ASSERT_EQ(index, i);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace siltstone
