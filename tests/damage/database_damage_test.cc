#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/damage/damage_sweeps.h"
#include "tests/engine/test_database.h"
#include "tests/support/test_seed.h"

// Every file of a whole database damaged in every way that single faults of disks and of people make, opened with
// default options: the right answers, or a report that names the file; never a wrong or missing entry under an OK
// status.

namespace siltstone {
namespace {

class DatabaseDamage : public DamageSweeps {
 protected:
  std::vector<std::string> tables() const { return NamesEndingWith(files(), ".sst"); }
  std::vector<std::string> logs() const { return NamesEndingWith(files(), ".log"); }
};

TEST_F(DatabaseDamage, TheSampleHasEveryKindOfFile) {
  for (const auto& [name, bytes] : files()) std::cout << name << " " << bytes.size() << "\n";
  EXPECT_GE(tables().size(), 3u);
  EXPECT_EQ(logs().size(), 2u);
  EXPECT_TRUE(Try(files(), {"none"}, "nothing"));
  EXPECT_EQ(counts().same, 1u);
}

TEST_F(DatabaseDamage, BitsFlipped) { FlipBits(29); }
TEST_F(DatabaseDamage, FilesCut) { CutFiles(13); }
TEST_F(DatabaseDamage, ZeroesFromAnOffsetOn) { ZeroTails(13); }
TEST_F(DatabaseDamage, NoiseFromAnOffsetOn) { NoiseTails(13); }
TEST_F(DatabaseDamage, StretchesCopiedElsewhere) { CopyStretches(1000); }

TEST_F(DatabaseDamage, FilesMissing) {
  for (const auto& [name, bytes] : files()) {
    FolderImage image = files();
    image.erase(name);
    Try(image, {name}, "absence");
  }
}

TEST_F(DatabaseDamage, FilesExchanged) {
  for (const auto& [one, one_bytes] : files()) {
    for (const auto& [other, other_bytes] : files()) {
      if (one >= other) continue;
      FolderImage image = files();
      image[one].swap(image[other]);
      Try(image, {one, other}, "exchange");
    }
  }
}

TEST_F(DatabaseDamage, FilesOfAnotherDatabase) {
  const SampleDatabase other = MakeSampleDatabase(99);
  for (const auto& [name, bytes] : files()) {
    const size_t kind = name.find_first_of("-.");
    for (const auto& [other_name, other_bytes] : other.files) {
      const bool same_kind = name.starts_with("0")
                                 ? other_name.ends_with(name.substr(name.size() - 4))
                                 : other_name.starts_with(name.substr(0, kind));
      if (!same_kind) continue;
      FolderImage image = files();
      image[name] = other_bytes;
      // A CURRENT of another database makes the manifest the wrong one.
      Try(image, {name, NamesBeginningWith(files(), "MANIFEST")[0]}, "content of another database");
    }
  }
}

TEST_F(DatabaseDamage, SalvageTakesTheLogsThatACutManifestForgot) {
  FolderImage image = files();
  std::string& manifest = image[NamesBeginningWith(files(), "MANIFEST")[0]];
  // Zeroes from inside the second edit on: the first one is of a database without tables and logs.
  manifest = manifest.substr(0, 300) + std::string(manifest.size() - 300, '\0');
  Options options = OptionsOver(image);
  ASSERT_FALSE(DB::Open(options, "/db").ok());
  options.salvage = true;
  auto db = DB::Open(options, "/db");
  ASSERT_TRUE(db.ok()) << db.status();
  for (const std::string& log : logs()) {
    EXPECT_NE((*db)->GetProperty("siltstone.salvage").find(log), std::string::npos);
  }
  // Written last, one in each log.
  EXPECT_TRUE((*db)->Get(NumberKey(205))->has_value());
  EXPECT_TRUE((*db)->Get(NumberKey(233))->has_value());
}

}  // namespace
}  // namespace siltstone
