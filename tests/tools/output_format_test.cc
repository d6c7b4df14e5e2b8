#include "tools/output_format.h"

#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "tests/tools/program_run.h"

namespace siltstone::tools {
namespace {

const std::string kBinary("\xff\0", 2);

// What `write` puts out.
std::string Written(const std::function<void(Output&)>& write) {
  const TemporaryDirectory directory;
  const int fd = open(directory.File("out").c_str(), O_WRONLY | O_CREAT, 0600);
  Output output(fd);
  write(output);
  EXPECT_TRUE(output.Flush().ok());
  close(fd);
  return ReadFileBytes(directory.File("out"));
}

std::string Rows(OutputFormat format,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  return Written([&](Output& output) {
    RowWriter rows(output, format, {{"key"}, {"value"}});
    for (const auto& [key, value] : pairs) rows.Add({Cell::Bytes(key), Cell::Bytes(value)});
    rows.Finish();
  });
}

TEST(OutputFormat, NamesAreUnderstood) {
  EXPECT_EQ(ParseOutputFormat("jsonl"), OutputFormat::kJsonLines);
  EXPECT_EQ(ParseOutputFormat("yaml"), std::nullopt);
  EXPECT_EQ(OutputFormatNames(), "auto, raw, table, json, jsonl, csv, tsv, hex");
}

TEST(OutputFormat, LinesOfBytes) {
  EXPECT_EQ(Rows(OutputFormat::kRaw, {{"a\tb", "c"}}), "a\tb\tc\n");
  EXPECT_EQ(Rows(OutputFormat::kTsv, {{"a\tb", "c\n\\"}}), "a\\tb\tc\\n\\\\\n");
  EXPECT_EQ(Rows(OutputFormat::kHex, {{kBinary, ""}}), "ff00\t\n");
}

TEST(OutputFormat, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(Rows(OutputFormat::kCsv, {{"a", "b"}, {"a,b", "say \"x\""}, {"a\nb", "\r"}}),
            "key,value\na,b\n\"a,b\",\"say \"\"x\"\"\"\n\"a\nb\",\"\r\"\n");
}

TEST(OutputFormat, JsonKeepsBytesThatAreNoText) {
  EXPECT_EQ(Rows(OutputFormat::kJsonLines, {{"k\"\n", kBinary}}),
            "{\"key\":\"k\\\"\\n\",\"value\":{\"base64\":\"/wA=\"}}\n");
  EXPECT_EQ(Rows(OutputFormat::kJson, {}), "[]\n");
  EXPECT_EQ(Rows(OutputFormat::kJson, {{"a", "1"}, {"b", "2"}}),
            "[\n  {\"key\":\"a\",\"value\":\"1\"},\n  {\"key\":\"b\",\"value\":\"2\"}\n]\n");
}

TEST(OutputFormat, JsonBytesAreReadBack) {
  for (const std::string& bytes :
       {std::string(), std::string("text"), kBinary, std::string("\0", 1)}) {
    EXPECT_EQ(BytesFromJson(BytesToJson(bytes)), bytes);
  }
  EXPECT_EQ(BytesFromJson(Json(1)), std::nullopt);
  EXPECT_EQ(BytesFromJson(Json{{"base64", "?"}}), std::nullopt);
  EXPECT_EQ(BytesFromJson(Json{{"base64", ""}, {"x", 1}}), std::nullopt);
}

TEST(OutputFormat, TablesAreAlignedAndPrintable) {
  EXPECT_EQ(
      Rows(OutputFormat::kTable, {{"a", "1"}, {"long\n", "\xC3\xA9"}, {"\xC3\xA9\xC3\xA9", ""}}),
      "key     value\n"
      "a       1\n"
      "long\\n  \xC3\xA9\n"
      "\xC3\xA9\xC3\xA9      \n");
}

TEST(OutputFormat, LongTablesGoOnWithTheWidthsOfTheirStart) {
  std::vector<std::pair<std::string, std::string>> pairs(2000, {"key", "value"});
  std::string expected = "key  value\n";
  for (size_t i = 0; i < pairs.size(); ++i) expected += "key  value\n";
  EXPECT_EQ(Rows(OutputFormat::kTable, pairs), expected);
}

TEST(OutputFormat, FactsHaveAFormInEveryFormat) {
  const Facts facts = {
      {"count", Cell::Count(3)}, {"size_bytes", Cell::Size(2048)}, {"rate", Cell::Nothing()}};
  const auto text = [&](OutputFormat format) {
    return Written([&](Output& output) { WriteFacts(output, format, facts); });
  };
  EXPECT_EQ(text(OutputFormat::kTable), "count       3\nsize_bytes  2.00 KiB\nrate        -\n");
  EXPECT_EQ(text(OutputFormat::kTsv), "count\t3\nsize_bytes\t2048\nrate\t\n");
  EXPECT_EQ(text(OutputFormat::kCsv), "name,value\ncount,3\nsize_bytes,2048\nrate,\n");
  EXPECT_EQ(text(OutputFormat::kJsonLines), "{\"count\":3,\"size_bytes\":2048,\"rate\":null}\n");
}

TEST(Cell, PeopleGetUnits) {
  EXPECT_EQ(Cell::Share(0.01).human(), "1 %");
  EXPECT_EQ(Cell::Share(0.000123456).human(), "0.0123 %");
  EXPECT_EQ(Cell::Share(0).human(), "0 %");
  EXPECT_EQ(Cell::Share(1).human(), "100 %");
  EXPECT_EQ(HumanSize(1023), "1023 B");
  EXPECT_EQ(HumanSize(1024), "1.00 KiB");
  EXPECT_EQ(HumanSize((uint64_t{1} << 20) - 1), "1.00 MiB");
  EXPECT_EQ(HumanSize(uint64_t{64} << 30), "64.0 GiB");
}

}  // namespace
}  // namespace siltstone::tools
