#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "siltstone/file_system.h"

#include "engine/wal/log_reader.h"
#include "engine/wal/log_writer.h"
#include "tests/support/temporary_directory.h"

// A log whose offsets do not fit 32 bits.

namespace siltstone {
namespace {

TEST(LargeLog, BeyondFourGigabytesReadsAsItWasWritten) {
  constexpr int kRecords = 18;
  const TemporaryDirectory directory;
  const std::string path = directory.File("log");
  LogHeader header;
  header.database_id = {1, 2};
  header.epoch = 3;
  header.number = 4;
  auto writer = LogWriter::Create(*PosixFileSystem(), header, path, 1 << 20);
  ASSERT_TRUE(writer.ok()) << writer.status();
  std::string payload(size_t{250} << 20, 'p');
  for (int i = 0; i < kRecords; ++i) {
    payload.replace(0, 2, std::to_string(10 + i));
    ASSERT_EQ((*writer)->Append(payload, static_cast<SequenceNumber>(i + 1)), absl::OkStatus());
  }
  ASSERT_EQ((*writer)->Sync(), absl::OkStatus());
  ASSERT_GT((*writer)->size_bytes(), uint64_t{1} << 32);
  ASSERT_EQ((*writer)->Close(), absl::OkStatus());

  auto file = PosixFileSystem()->OpenLog(path);
  ASSERT_TRUE(file.ok()) << file.status();
  LogExpectation expectation;
  expectation.database_id = header.database_id;
  expectation.epoch = header.epoch;
  expectation.number = header.number;
  const auto reader = LogReader::Open(*std::move(file), "log", expectation);
  ASSERT_TRUE(reader.ok()) << reader.status();
  LogRecord record;
  for (int i = 0; i < kRecords; ++i) {
    const absl::StatusOr<bool> more = (*reader)->Next(&record);
    ASSERT_TRUE(more.ok()) << more.status();
    ASSERT_TRUE(*more) << i;
    EXPECT_EQ(record.payload.size(), payload.size());
    EXPECT_EQ(record.payload.substr(0, 2), std::to_string(10 + i));
  }
  EXPECT_FALSE((*reader)->Next(&record).value_or(true));
}

}  // namespace
}  // namespace siltstone
