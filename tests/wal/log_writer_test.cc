#include "engine/wal/log_writer.h"

#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/wal/log_bytes.h"

namespace siltstone {
namespace {

using Step = RecordingLogFile::Step;

TEST(LogWriter, CreateWritesTheHeaderAndSyncsIt) {
  LogUnderTest log(4096);
  const auto& steps = log.file_system.state->steps;
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].bytes.size(), kLogHeaderBytes);
  EXPECT_EQ(steps[1].kind, Step::Kind::kSync);
  EXPECT_EQ(log.bytes().size(), 4096u);
  EXPECT_EQ(log.writer->size_bytes(), kLogHeaderBytes);
  EXPECT_EQ(log.writer->synced_bytes(), kLogHeaderBytes);
  EXPECT_EQ(log.writer->header().allocated_bytes, 4096u);
}

TEST(LogWriter, AMaskIsDrawnWhereNoneIsGiven) {
  LogHeader header = TestLogHeader();
  header.mask = 0;
  LogUnderTest a(4096, header), b(4096, header);
  EXPECT_NE(a.writer->header().mask, 0u);
  EXPECT_NE(a.writer->header().mask, b.writer->header().mask);
}

TEST(LogWriter, ARecordIsOneAppend) {
  LogUnderTest log(1 << 20);
  for (const size_t size : {0, 1, 7, 8, 4096, 100000}) {
    const size_t before = log.file_system.state->steps.size();
    log.Append(std::string(size, 'x'));
    const auto& steps = log.file_system.state->steps;
    ASSERT_EQ(steps.size(), before + 1);
    EXPECT_EQ(steps.back().bytes.size(), RecordBytes(size));
    EXPECT_EQ(log.writer->size_bytes(), log.file_system.state->end);
  }
}

TEST(LogWriter, RecordsCarryTheOffsetSyncedBeforeThem) {
  LogUnderTest log(4096);
  const TableId identity = LogIdentity(log.writer->header());
  const auto synced_of_last = [&] {
    const Step& step = log.file_system.state->steps.back();
    return CheckRecordHeader(step.bytes.data(), identity, step.offset).header.synced_offset;
  };
  log.Append("a");
  EXPECT_EQ(synced_of_last(), kLogHeaderBytes);
  log.Append("b");
  EXPECT_EQ(synced_of_last(), kLogHeaderBytes);
  log.Sync();
  const uint64_t synced = log.writer->size_bytes();
  EXPECT_EQ(log.writer->synced_bytes(), synced);
  log.Append("c");
  EXPECT_EQ(synced_of_last(), synced);
}

TEST(LogWriter, ASyncWithNothingNewCostsNothing) {
  LogUnderTest log(4096);
  log.Append("a");
  log.Sync();
  const size_t before = log.file_system.state->steps.size();
  log.Sync();
  EXPECT_EQ(log.file_system.state->steps.size(), before);
}

TEST(LogWriter, GrowsDurablyBeforeItSaysSo) {
  LogUnderTest log(300);
  log.Append("first");
  const size_t before = log.file_system.state->steps.size();
  log.Append(std::string(500, 'x'));
  const auto& steps = log.file_system.state->steps;
  ASSERT_EQ(steps.size(), before + 4);
  EXPECT_EQ(steps[before].kind, Step::Kind::kAllocate);
  EXPECT_EQ(steps[before].size, log.writer->allocated_bytes());
  EXPECT_EQ(steps[before + 1].kind, Step::Kind::kSync);
  EXPECT_EQ(steps[before + 2].bytes.size(), kAllocationRecordBytes);
  EXPECT_LE(steps[before + 2].offset + kAllocationRecordBytes, 304u);  // in the old allocation
  EXPECT_EQ(steps[before + 3].bytes.size(), RecordBytes(500));
  EXPECT_EQ(log.writer->allocated_bytes() % (1 << 20), 0u);
  EXPECT_EQ(log.bytes().size(), log.writer->allocated_bytes());
}

TEST(LogWriter, NeverWritesBeyondTheAllocation) {
  for (uint64_t allocated = 0; allocated < 700; allocated += 3) {
    LogUnderTest log(allocated);
    for (int i = 0; i < 12; ++i) log.Append(std::string(static_cast<size_t>(i * 7), 'x'));
    EXPECT_EQ(log.bytes().size(), log.writer->allocated_bytes());
    EXPECT_LE(log.writer->size_bytes() + kAllocationRecordBytes, log.writer->allocated_bytes());
    const ReadLog read = ReadAll(log.bytes());
    EXPECT_TRUE(read.status.ok()) << read.status;
    EXPECT_EQ(read.payloads, log.payloads);
  }
}

TEST(LogWriter, GrowthDoublesUpToALimit) {
  LogUnderTest log(1 << 20);
  log.Append(std::string(1 << 20, 'x'));
  EXPECT_GE(log.writer->allocated_bytes(), uint64_t{2} << 20);
  log.Append(std::string(size_t{70} << 20, 'x'));  // more than double
  const uint64_t large = log.writer->allocated_bytes();
  EXPECT_LE(large, uint64_t{73} << 20);
  log.Append(std::string(size_t{2} << 20, 'x'));
  EXPECT_EQ(log.writer->allocated_bytes(), large + (uint64_t{64} << 20));
}

TEST(LogWriter, APayloadBeyondTheLengthFieldIsRefusedAndHarmless) {
  LogUnderTest log(4096);
  const char byte = 'x';
  const absl::Status status = log.writer->Append({&byte, kMaxLogPayloadBytes + 1}, 1);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_TRUE(log.writer->poisoned().ok());
  log.Append("fine");
}

// Each call on the file fails in turn; whatever comes after, the first error is the answer.
TEST(LogWriter, IsPoisonedByTheFirstFailure) {
  for (int fail_in = 0; fail_in < 9; ++fail_in) {
    LogUnderTest log(300);
    log.file_system.state->fail_in = fail_in;
    absl::Status first;
    uint64_t good = kLogHeaderBytes;
    for (int i = 0; i < 6 && first.ok(); ++i) {
      first = log.writer->Append(std::string(60, 'x'), 1);
      if (first.ok()) good = log.writer->size_bytes();
      if (first.ok()) first = log.writer->Sync();
    }
    ASSERT_FALSE(first.ok()) << fail_in;
    EXPECT_GE(log.writer->good_size_bytes(), good);
    EXPECT_EQ(log.writer->good_size_bytes(), log.file_system.state->end);
    EXPECT_LE(log.writer->synced_bytes(), log.writer->size_bytes());
    const size_t steps = log.file_system.state->steps.size();
    EXPECT_EQ(log.writer->poisoned(), first);
    EXPECT_EQ(log.writer->Append("y", 2), first);
    EXPECT_EQ(log.writer->Sync(), first);
    EXPECT_EQ(log.writer->Close(), first);
    EXPECT_EQ(log.file_system.state->steps.size(), steps) << "a poisoned log was written to";
    EXPECT_TRUE(log.file_system.state->closed);
  }
}

TEST(LogWriter, IsClosedOnce) {
  LogUnderTest log(4096);
  log.Append("a");
  EXPECT_TRUE(log.writer->Close().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(log.writer->Append("b", 2)));
  EXPECT_TRUE(absl::IsFailedPrecondition(log.writer->Sync()));
}

TEST(LogWriter, WorksOnTheFileSystemInMemory) {
  const auto file_system = NewMemoryFileSystem();
  auto writer = LogWriter::Create(*file_system, TestLogHeader(), "/a.log", 4096);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_TRUE(absl::IsAlreadyExists(
      LogWriter::Create(*file_system, TestLogHeader(), "/a.log", 4096).status()));
  const std::string payload(100000, 'p');
  ASSERT_TRUE((*writer)->Append(payload, 9).ok());
  ASSERT_TRUE((*writer)->Sync().ok());
  ASSERT_TRUE((*writer)->Close().ok());
  auto file = file_system->OpenLog("/a.log");
  ASSERT_TRUE(file.ok());
  auto reader = LogReader::Open(*std::move(file), "a.log", TestExpectation());
  ASSERT_TRUE(reader.ok()) << reader.status();
  LogRecord record;
  const auto more = (*reader)->Next(&record);
  ASSERT_TRUE(more.ok() && *more) << more.status();
  EXPECT_EQ(record.payload, payload);
  EXPECT_EQ(record.sequence, 9u);
  EXPECT_FALSE(*(*reader)->Next(&record));
}

}  // namespace
}  // namespace siltstone
