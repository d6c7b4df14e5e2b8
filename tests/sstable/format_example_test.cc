#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sstable/table_test_support.h"

// The worked example of the format document, byte for byte. SILTSTONE_PRINT_EXAMPLE=1 prints it.

namespace siltstone {
namespace {

std::string ExampleTable() {
  TableWriterOptions options;
  options.table_id = {0x0011223344556677, 0x8899aabbccddeeff};
  options.epoch = 1;
  options.number = 2;
  options.file_name = "example";
  Entries entries;
  entries[MakeInternalKey("apple", PackTrailer(1, ValueType::kValue))] = "red";
  entries[MakeInternalKey("fig", PackTrailer(2, ValueType::kDeletion))] = "";
  return BuildTable(entries, options).bytes;
}

std::string HexDump(const std::string& bytes) {
  std::string out;
  for (size_t start = 0; start < bytes.size(); start += 16) {
    char text[32];
    std::snprintf(text, sizeof(text), "%04zx ", start);
    out += text;
    for (size_t i = start; i < start + 16 && i < bytes.size(); ++i) {
      std::snprintf(text, sizeof(text), " %02x", static_cast<unsigned char>(bytes[i]));
      out += text;
    }
    out += '\n';
  }
  return out;
}

TEST(FormatExample, IsWhatTheWriterWrites) {
  const std::string dump = HexDump(ExampleTable());
  if (std::getenv("SILTSTONE_PRINT_EXAMPLE") != nullptr) std::printf("%s", dump.c_str());
  // The section may stand in the whole document or still in a part of its own.
  std::stringstream documents;
  for (const char* name : {"/FORMAT.md"}) {
    const std::ifstream file(std::string(SILTSTONE_SOURCE_DIR) + name);
    if (file) documents << file.rdbuf();
  }
  EXPECT_THAT(documents.str(), testing::HasSubstr("```\n" + dump + "```"));
}

TEST(FormatExample, IsReadBack) {
  TableReaderOptions options;
  options.file_name = "example";
  const OpenedTable table = OpenTable(ExampleTable(), options);
  ASSERT_TRUE(table.reader.ok()) << table.reader.status();
  EXPECT_EQ(GetText(**table.reader, "apple", 9), "red@1");
  EXPECT_EQ(GetText(**table.reader, "fig", 9), "deleted@2");
  EXPECT_EQ(GetText(**table.reader, "fig", 1), "absent");
}

}  // namespace
}  // namespace siltstone
