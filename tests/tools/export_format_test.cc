#include "tools/export_format.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "tests/tools/program_run.h"

namespace siltstone::tools {
namespace {

using ::testing::HasSubstr;

using Pairs = std::vector<std::pair<std::string, std::string>>;

const Pairs& SomePairs() {
  static const auto* const kPairs = new Pairs{
      {"", ""}, {std::string("\0\xff", 2), "x"}, {"key", std::string(20, 'v')}, {"last", ""}};
  return *kPairs;
}

std::string Export(const Pairs& pairs) {
  const TemporaryDirectory directory;
  const int fd = open(directory.File("out").c_str(), O_WRONLY | O_CREAT, 0600);
  Output output(fd);
  ExportWriter writer(output);
  for (const auto& [key, value] : pairs) writer.Add(key, value);
  writer.Finish();
  EXPECT_EQ(writer.record_count(), pairs.size());
  EXPECT_TRUE(output.Flush().ok());
  close(fd);
  return ReadFileBytes(directory.File("out"));
}

absl::Status Read(const std::string& bytes, Pairs* pairs) {
  static const TemporaryDirectory directory;
  WriteFileBytes(directory.File("in"), bytes);
  const std::unique_ptr<Input> input = *Input::Open(directory.File("in"));
  const std::unique_ptr<RecordReader> reader = NewExportReader(*input);
  Record record;
  while (true) {
    const absl::StatusOr<bool> more = reader->Next(&record);
    if (!more.ok() || !*more) return more.status();
    pairs->emplace_back(record.key, record.value);
  }
}

// X1 to X6: the example of FORMAT.md "Export", byte for byte.
TEST(ExportFormat, TheLayoutIsTheDocumentedOne) {
  const std::string bytes = Export({{"k", "vw"}});
  EXPECT_EQ(bytes, std::string("\x89Siltstone export 1\n") +
                       std::string("R\x01\0\0\0\x02\0\0\0kvw", 12) +
                       std::string("E\x01\0\0\0\0\0\0\0", 9) + "\x58\xcc\x15\x2c\xfe\xb0\xf8\x4c");
}

TEST(ExportFormat, AnyBytesComeBack) {
  for (const Pairs& pairs : {Pairs{}, SomePairs()}) {
    Pairs read;
    EXPECT_TRUE(Read(Export(pairs), &read).ok());
    EXPECT_EQ(read, pairs);
  }
}

TEST(ExportFormat, EveryCutIsNoticed) {
  const std::string whole = Export(SomePairs());
  for (size_t length = 0; length < whole.size(); ++length) {
    Pairs read;
    const absl::Status status = Read(whole.substr(0, length), &read);
    ASSERT_TRUE(absl::IsDataLoss(status)) << length;
    EXPECT_THAT(std::string(status.message()), HasSubstr("at offset "));
  }
}

TEST(ExportFormat, EveryChangedByteIsNoticed) {
  const std::string whole = Export(SomePairs());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      Pairs read;
      ASSERT_TRUE(absl::IsDataLoss(Read(changed, &read))) << i << " " << flip;
    }
  }
}

TEST(ExportFormat, BytesBehindTheEndAreNoticed) {
  Pairs read;
  const absl::Status status = Read(Export(SomePairs()) + "x", &read);
  EXPECT_THAT(std::string(status.message()), HasSubstr("behind the end"));
}

}  // namespace
}  // namespace siltstone::tools
