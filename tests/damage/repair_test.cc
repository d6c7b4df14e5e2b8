#include "siltstone/repair.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/db.h"

#include "engine/manifest/file_names.h"
#include "sstable/footer.h"
#include "tests/damage/damage_sweeps.h"
#include "tests/engine/test_database.h"
#include "tests/support/test_seed.h"

// What repair makes of a damaged database: all that survives, the rest told by key range, the damaged files unchanged.

namespace siltstone {
namespace {

using Entries = SampleDatabase::Entries;

class Repair : public testing::Test {
 protected:
  Repair() : sample_(MakeSampleDatabase(TestSeed())), image_(sample_.files) {}

  std::string Named(const std::string& start) { return NamesBeginningWith(image_, start)[0]; }
  std::vector<std::string> tables() const { return NamesEndingWith(image_, ".sst"); }

  // Repairs image_ into a new database, and reads that.
  void Run() {
    Options options = OptionsOver(image_);
    const auto examined = ExamineDatabase(options, "/db");
    ASSERT_TRUE(examined.ok()) << examined.status();
    EXPECT_EQ(ReadImage(*options.file_system, "/db"), image_) << "a dry run changes nothing";
    const auto repaired = RepairDatabase(options, "/db", "/repaired");
    ASSERT_TRUE(repaired.ok()) << repaired.status();
    EXPECT_EQ(ReadImage(*options.file_system, "/db"), image_);
    EXPECT_EQ(examined->losses.size(), repaired->losses.size());
    EXPECT_EQ(examined->entries, repaired->entries);
    report_ = *repaired;
    auto db = DB::Open(options, "/repaired");
    ASSERT_TRUE(db.ok()) << db.status();
    EXPECT_EQ((*db)->VerifyChecksums(), absl::OkStatus());
    const auto it = (*db)->NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      found_.emplace(it->key(), it->value());
    }
    EXPECT_EQ(it->status(), absl::OkStatus());
    EXPECT_EQ(found_.size(), report_.entries);
    // It can be written to, like any other.
    EXPECT_EQ((*db)->Put("one more", "value"), absl::OkStatus());
    EXPECT_EQ((*db)->Close(), absl::OkStatus());
  }

  // Whether the report says that this key may be concerned.
  bool IsTold(const std::string& key) const {
    return std::any_of(report_.losses.begin(), report_.losses.end(), [&](const RepairLoss& loss) {
      return !loss.keys.has_value() || (loss.keys->first <= key && key <= loss.keys->last);
    });
  }

  // Every difference to the sample is told.
  void ExpectDifferencesTold() {
    for (const auto& [key, value] : sample_.entries) {
      const auto found = found_.find(key);
      if (found == found_.end() || found->second != value) {
        EXPECT_TRUE(IsTold(key)) << key;
      }
    }
    for (const auto& [key, value] : found_) {
      if (!sample_.entries.contains(key)) {
        EXPECT_TRUE(IsTold(key)) << key;
      }
    }
  }

  const SampleDatabase sample_;
  FolderImage image_;  // damaged by the tests
  RepairReport report_;
  Entries found_;
};

TEST_F(Repair, AWholeDatabaseIsKeptWhole) {
  Run();
  EXPECT_EQ(found_, sample_.entries);
  EXPECT_TRUE(report_.losses.empty());
  EXPECT_TRUE(report_.manifest_whole);
  EXPECT_EQ(report_.logs_read, 2u);
}

TEST_F(Repair, WithoutCurrentTheNewestManifestTells) {
  image_.erase("CURRENT");
  Run();
  EXPECT_EQ(found_, sample_.entries);
  EXPECT_TRUE(report_.manifest_whole);
  EXPECT_EQ(report_.losses.size(), 1u);
}

TEST_F(Repair, WithoutAManifestTheTablesTellOfThemselves) {
  image_.erase(Named("MANIFEST"));
  Run();
  EXPECT_FALSE(report_.manifest_whole);
  EXPECT_EQ(found_, sample_.entries);
  EXPECT_THAT(report_.notes, testing::Contains(testing::HasSubstr("may be back")));
}

TEST_F(Repair, WithTablesAndLogsAlone) {
  image_.erase("CURRENT");
  image_.erase("SECRETS");
  image_.erase(Named("MANIFEST"));
  Run();
  EXPECT_EQ(found_, sample_.entries);
}

TEST_F(Repair, AManifestThatLostItsEndIsNotBelieved) {
  std::string& manifest = image_[Named("MANIFEST")];
  manifest = manifest.substr(0, 300) + std::string(manifest.size() - 300, '\0');
  Run();
  EXPECT_FALSE(report_.manifest_whole);
  EXPECT_EQ(found_, sample_.entries);
}

// One block at a time, of each table: the rest survives, and what is not as it was is told.
TEST_F(Repair, ADamagedBlockCostsItsKeysAlone) {
  for (const std::string& name : tables()) {
    for (size_t at = 10; at < image_[name].size() - kFooterBytes; at += 200) {
      image_[name][at] = static_cast<char>(image_[name][at] ^ 1);
      found_.clear();
      Run();
      if (HasFailure()) return;
      ExpectDifferencesTold();
      EXPECT_GT(found_.size(), sample_.entries.size() / 3) << name << " at " << at;
      image_[name][at] = static_cast<char>(image_[name][at] ^ 1);
    }
  }
}

TEST_F(Repair, ALostTableIsToldByItsKeyRange) {
  const std::vector<std::string> names = tables();
  for (const std::string& name : names) {
    const std::string bytes = image_[name];
    image_.erase(name);
    found_.clear();
    Run();
    if (HasFailure()) return;
    ASSERT_EQ(report_.losses.size(), 1u);
    EXPECT_TRUE(report_.losses[0].keys.has_value());
    EXPECT_THAT(report_.losses[0].what, testing::HasSubstr(name));
    ExpectDifferencesTold();
    image_[name] = bytes;
  }
}

TEST_F(Repair, ADamagedLogGivesWhatIsBehindTheDamageToo) {
  const std::string name = NamesEndingWith(image_, ".log")[0];
  image_[name][200] = static_cast<char>(image_[name][200] ^ 1);
  Run();
  EXPECT_EQ(report_.losses.size(), 1u);
  EXPECT_GE(found_.size() + 3, sample_.entries.size());
  ExpectDifferencesTold();
}

TEST_F(Repair, ATableOfAnotherDatabaseIsLeftOut) {
  const SampleDatabase other = MakeSampleDatabase(7);
  image_.erase(Named("MANIFEST"));
  image_[TableFileName({1, 999})] = other.files.at(NamesEndingWith(other.files, ".sst")[0]);
  Run();
  EXPECT_EQ(found_, sample_.entries);
}

TEST_F(Repair, RefusesWhatIsNotThereAndWhatIsInUse) {
  Options options = OptionsOver(image_);
  EXPECT_TRUE(absl::IsNotFound(ExamineDatabase(options, "/elsewhere").status()));
  ASSERT_EQ(options.file_system->CreateDirectory("/empty"), absl::OkStatus());
  EXPECT_TRUE(absl::IsNotFound(ExamineDatabase(options, "/empty").status()));
  EXPECT_TRUE(absl::IsAlreadyExists(RepairDatabase(options, "/db", "/db").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(RepairDatabase(options, "/db", "").status()));
  auto db = DB::Open(options, "/db");
  ASSERT_TRUE(db.ok()) << db.status();
  EXPECT_TRUE(absl::IsAborted(RepairDatabase(options, "/db", "/other").status()));
}

}  // namespace
}  // namespace siltstone
