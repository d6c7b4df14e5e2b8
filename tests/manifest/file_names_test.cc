#include "engine/manifest/file_names.h"

#include <gtest/gtest.h>

namespace siltstone {
namespace {

TEST(FileNames, ArePaddedToSixAndTwelveDigits) {
  EXPECT_EQ(TableFileName({3, 17}), "000003-000000000017.sst");
  EXPECT_EQ(LogFileName({3, 17}), "000003-000000000017.log");
  EXPECT_EQ(ManifestFileName({1, 2}), "MANIFEST-000001-000000000002");
  EXPECT_EQ(InfoLogFileName(12), "LOG-000012");
  EXPECT_EQ(TableFileName({1234567, 1234567890123}), "1234567-1234567890123.sst");
}

TEST(FileNames, EveryNameParsesToWhatMadeIt) {
  for (const uint64_t epoch : {uint64_t{1}, uint64_t{999999}, uint64_t{1000000}, kMaxFileNumber}) {
    EXPECT_EQ(ParseFileName(InfoLogFileName(epoch)),
              (ParsedFileName{FileKind::kInfoLog, {epoch, 0}}));
    for (const uint64_t number : {uint64_t{1}, uint64_t{1000000000000}, kMaxFileNumber}) {
      const FileId id = {epoch, number};
      EXPECT_EQ(ParseFileName(TableFileName(id)), (ParsedFileName{FileKind::kTable, id}));
      EXPECT_EQ(ParseFileName(LogFileName(id)), (ParsedFileName{FileKind::kLog, id}));
      EXPECT_EQ(ParseFileName(ManifestFileName(id)), (ParsedFileName{FileKind::kManifest, id}));
    }
  }
  EXPECT_EQ(ParseFileName("CURRENT"), (ParsedFileName{FileKind::kCurrent, {}}));
  EXPECT_EQ(ParseFileName("SECRETS"), (ParsedFileName{FileKind::kSecrets, {}}));
  EXPECT_EQ(ParseFileName("LOCK"), (ParsedFileName{FileKind::kLock, {}}));
}

TEST(FileNames, AnyOtherNameIsUnknown) {
  for (const char* name : {"",
                           ".",
                           "-",
                           ".sst",
                           "notes.txt",
                           "CURRENT.tmp",
                           "current",
                           "LOCK ",
                           "LOG",
                           "LOG-",
                           "LOG-12",
                           "LOG-000000",
                           "LOG-000012.old",
                           "3-17.sst",
                           "000003-17.sst",
                           "000003-000000000017",
                           "000003-000000000017.sst.bak",
                           "000003-000000000017.SST",
                           "000003-000000000000.sst",
                           "000000-000000000017.sst",
                           "0000003-000000000017.sst",
                           "000003-0000000000017.sst",
                           "+00003-000000000017.sst",
                           "-00003-000000000017.sst",
                           "000003--00000000017.sst",
                           " 000003-000000000017.sst",
                           "00000a-000000000017.sst",
                           "000003-99999999999999999999.sst",
                           "000003-72057594037927936.sst",
                           "72057594037927936-000000000001.log",
                           "MANIFEST-000001",
                           "MANIFEST-",
                           "MANIFEST-000001-000000000002.sst",
                           "MANIFEST-000001-000000000002 ",
                           "MANIFEST-LOG-000001"}) {
    EXPECT_EQ(ParseFileName(name), std::nullopt) << name;
  }
  EXPECT_EQ(ParseFileName(std::string_view("CURRENT\0", 8)), std::nullopt);
}

TEST(FileNames, PathsHaveOneSlash) {
  EXPECT_EQ(PathInDirectory("/db", "LOCK"), "/db/LOCK");
  EXPECT_EQ(PathInDirectory("/", "LOCK"), "/LOCK");
  EXPECT_EQ(PathInDirectory("db/", "LOCK"), "db/LOCK");
}

}  // namespace
}  // namespace siltstone
