#include <string>

#include <gtest/gtest.h>

#include "tests/sstable/table_test_support.h"
#include "tests/support/format_document.h"

// The worked example of the format document, byte for byte.

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

TEST(FormatExample, IsWhatTheWriterWrites) {
  EXPECT_TRUE(FormatDocumentShows(ExampleTable())) << HexDump(ExampleTable());
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
