#include "tools/import_formats.h"

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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct ReadResult {
  Pairs pairs;
  absl::Status status;
};

ReadResult Read(const std::string& text, const ImportFormatOptions& options) {
  const TemporaryDirectory directory;
  WriteFileBytes(directory.File("in"), text);
  const std::unique_ptr<Input> input = *Input::Open(directory.File("in"));
  const std::unique_ptr<RecordReader> reader = NewImportReader(*input, options);
  ReadResult result;
  Record record;
  while (true) {
    const absl::StatusOr<bool> more = reader->Next(&record);
    result.status = more.status();
    if (!more.ok() || !*more) return result;
    result.pairs.emplace_back(record.key, record.value);
  }
}

Pairs Good(const std::string& text, const ImportFormatOptions& options) {
  const ReadResult result = Read(text, options);
  EXPECT_TRUE(result.status.ok()) << result.status;
  return result.pairs;
}

void ExpectBad(const std::string& text, const ImportFormatOptions& options,
               const std::string& part) {
  const absl::Status status = Read(text, options).status;
  EXPECT_TRUE(absl::IsDataLoss(status)) << text;
  EXPECT_THAT(std::string(status.message()), HasSubstr(part)) << text;
}

const ImportFormatOptions kTsv = {.format = ImportFormat::kTsv};
const ImportFormatOptions kCsv = {.format = ImportFormat::kCsv};
const ImportFormatOptions kJson = {.format = ImportFormat::kJsonLines};
const ImportFormatOptions kDeb = {.format = ImportFormat::kDeb822, .key_field = "Package"};

TEST(TsvImport, LinesBecomeRecords) {
  EXPECT_THAT(Good("", kTsv), IsEmpty());
  EXPECT_THAT(Good("a\t1\n\t\nb\t2", kTsv),
              ElementsAre(Pair("a", "1"), Pair("", ""), Pair("b", "2")));
  EXPECT_THAT(Good("a\\tb\t\\x00\\n\r\n", kTsv), ElementsAre(Pair("a\tb", std::string("\0\n", 2))));
  EXPECT_THAT(Good("c:\\new\tx\n", {.format = ImportFormat::kTsv, .escapes = false}),
              ElementsAre(Pair("c:\\new", "x")));
}

TEST(TsvImport, FaultsNameTheLine) {
  ExpectBad("a\t1\nb\n", kTsv, "at line 2");
  ExpectBad("a\t1\t2\n", kTsv, "at line 1");
  ExpectBad("a\t1\n\n", kTsv, "at line 2");
  ExpectBad("a\t1\na\\q\t1\n", kTsv, "unknown escape in the key");
}

TEST(CsvImport, FieldsFollowRfc4180) {
  EXPECT_THAT(Good("key,value\na,1\r\n\"b,\"\"x\"\"\",\"two\nlines\r\n\"\n,\n", kCsv),
              ElementsAre(Pair("a", "1"), Pair("b,\"x\"", "two\nlines\r\n"), Pair("", "")));
  EXPECT_THAT(Good("a,1", kCsv), ElementsAre(Pair("a", "1")));
  EXPECT_THAT(Good("a,1\nkey,value\n", kCsv), ElementsAre(Pair("a", "1"), Pair("key", "value")));
  EXPECT_THAT(Good("key,value\n", {.format = ImportFormat::kCsv, .has_header = false}),
              ElementsAre(Pair("key", "value")));
  EXPECT_THAT(Good("\"\",\"\"\n", kCsv), ElementsAre(Pair("", "")));
}

TEST(CsvImport, FaultsNameTheLine) {
  ExpectBad("a,1\nb\n", kCsv, "expected 2 fields, found 1, in ");
  ExpectBad("a,1\nb,2,3\n", kCsv, "at line 2");
  ExpectBad("a,\"1\n2\n", kCsv, "no end");
  ExpectBad("a,1\na,\"1\n2\n", kCsv, "at line 2");
  ExpectBad("a,\"1\"x\n", kCsv, "goes on");
  ExpectBad("a,b\"c\n", kCsv, "quote inside");
}

TEST(JsonLinesImport, ObjectsBecomeRecords) {
  EXPECT_THAT(Good("{\"key\":\"a\",\"value\":\"1\"}\n\n{\"value\":{\"base64\":\"/"
                   "wA=\"},\"key\":\"\\u00e9\"}",
                   kJson),
              ElementsAre(Pair("a", "1"), Pair("\xC3\xA9", std::string("\xff\0", 2))));
}

TEST(JsonLinesImport, FaultsNameTheLine) {
  for (const char* bad :
       {"{", "[]", "1", "{\"key\":\"a\"}", "{\"key\":\"a\",\"value\":1}",
        "{\"key\":\"a\",\"value\":\"b\",\"x\":1}", "{\"key\":\"a\",\"value\":{\"base64\":1}}",
        "{\"key\":\"\xff\",\"value\":\"b\"}"}) {
    ExpectBad(std::string("\n") + bad, kJson, "at line 2");
  }
}

TEST(Deb822Import, StanzasLieBetweenBlankLines) {
  EXPECT_THAT(Good("\n\nPackage: a\nDescription: x\n more\n\n \nversion: 1\npackage:  b \n", kDeb),
              ElementsAre(Pair("a", "Package: a\nDescription: x\n more\n"),
                          Pair("b", "version: 1\npackage:  b \n")));
  EXPECT_THAT(Good("Package: a\r\nX: y\r\n\r\nPackage: b", kDeb),
              ElementsAre(Pair("a", "Package: a\r\nX: y\r\n"), Pair("b", "Package: b\n")));
  EXPECT_THAT(Good("", kDeb), IsEmpty());
}

TEST(Deb822Import, AStanzaWithoutItsKeyIsAFault) {
  ExpectBad("Package: a\n\nPackages: b\nX: y\n", kDeb, "at line 3");
  ExpectBad("Package:\n", kDeb, "\"Package\"");
  ExpectBad("X: y\n Package: a\n", kDeb, "at line 1");
}

}  // namespace
}  // namespace siltstone::tools
