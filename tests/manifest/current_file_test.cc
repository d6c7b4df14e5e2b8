#include "engine/manifest/current_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace siltstone {
namespace {

using ::testing::HasSubstr;

const CurrentFile kCurrent = {{1, 2}, {0x0011223344556677, 0x8899aabbccddeeff}};

TEST(CurrentFile, IsOneLineThatPeopleCanRead) {
  const std::string line = EncodeCurrent(kCurrent);
  EXPECT_THAT(line,
              ::testing::StartsWith("siltstone manifest MANIFEST-000001-000000000002 database "
                                    "00112233445566778899aabbccddeeff checksum "));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(CurrentFile, RoundTrips) {
  const auto decoded = DecodeCurrent(EncodeCurrent(kCurrent));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, kCurrent);
}

TEST(CurrentFile, EveryBitFlipAndTruncationIsDataLoss) {
  const std::string line = EncodeCurrent(kCurrent);
  for (size_t i = 0; i < line.size() * 8; ++i) {
    std::string damaged = line;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ 1 << i % 8);
    EXPECT_EQ(DecodeCurrent(damaged).status().code(), absl::StatusCode::kDataLoss) << damaged;
  }
  for (size_t size = 0; size < line.size(); ++size) {
    EXPECT_EQ(DecodeCurrent(line.substr(0, size)).status().code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(DecodeCurrent(line + "\n").status().code(), absl::StatusCode::kDataLoss);
}

TEST(CurrentFile, MissingIsNotFoundAndDamagedNamesTheFile) {
  const std::shared_ptr<FileSystem> fs = NewMemoryFileSystem();
  EXPECT_EQ(ReadCurrent(*fs, "/").status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(WriteCurrent(*fs, "/", kCurrent).ok());
  const auto read = ReadCurrent(*fs, "/");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, kCurrent);
  ASSERT_TRUE(fs->ReplaceFile("/CURRENT", "MANIFEST-000001\n").ok());
  const absl::Status status = ReadCurrent(*fs, "/").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("in /CURRENT at offset 0 size 16"));
}

}  // namespace
}  // namespace siltstone
