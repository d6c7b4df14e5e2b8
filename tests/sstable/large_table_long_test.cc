#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "siltstone/file_system.h"

#include "base/epoch.h"
#include "sstable/table_reader.h"
#include "sstable/table_writer.h"
#include "tests/support/temporary_directory.h"

// Files whose offsets do not fit 32 bits.

namespace siltstone {
namespace {

constexpr size_t kValueBytes = size_t{300} << 20;
constexpr int kEntries = 15;  // 4.4 GiB

std::string KeyOf(int number) {
  return MakeInternalKey("key" + std::to_string(100 + number),
                         PackTrailer(static_cast<SequenceNumber>(number + 1), ValueType::kValue));
}

TEST(LargeTable, BeyondFourGigabytesReadsAsItWasWritten) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("table.sst");
  auto file = PosixFileSystem()->CreateTable(path);
  ASSERT_TRUE(file.ok()) << file.status();
  TableWriterOptions options;
  options.table_id = {1, 2};
  options.file_name = "table.sst";
  TableWriter writer(options, *std::move(file));
  std::string value(kValueBytes, 'v');
  for (int i = 0; i < kEntries; ++i) {
    value.replace(0, 2, std::to_string(10 + i));
    ASSERT_EQ(writer.Add(KeyOf(i), value), absl::OkStatus());
  }
  const auto summary = writer.Finish();
  ASSERT_TRUE(summary.ok()) << summary.status();
  ASSERT_GT(summary->file_size_bytes, uint64_t{1} << 32);

  auto input = PosixFileSystem()->OpenTable(path);
  ASSERT_TRUE(input.ok()) << input.status();
  TableReaderOptions reading;
  reading.file_name = "table.sst";
  reading.file_size_bytes = summary->file_size_bytes;
  reading.tail_size_bytes = summary->tail_size_bytes;
  const auto table = TableReader::Open(reading, *std::move(input));
  ASSERT_TRUE(table.ok()) << table.status();
  EpochGuard guard;
  for (const int i : {0, kEntries / 2, kEntries - 1}) {
    TableReadContext context;
    PointResult result;
    ASSERT_EQ((*table)->Get("key" + std::to_string(100 + i), kMaxSequenceNumber, context, &result),
              absl::OkStatus());
    ASSERT_EQ(result.state, PointResult::State::kFound);
    EXPECT_EQ(result.value.size(), kValueBytes);
    EXPECT_EQ(result.value.substr(0, 2), std::to_string(10 + i));
    result.block.Reset();
  }
  EXPECT_EQ((*table)->VerifyChecksums(), absl::OkStatus());
}

}  // namespace
}  // namespace siltstone
