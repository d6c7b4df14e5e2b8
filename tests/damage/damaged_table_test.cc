#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "siltstone/db.h"

#include "tests/damage/sample_database.h"
#include "tests/engine/test_database.h"
#include "tests/support/test_seed.h"

// A database with a damaged table goes on: writes, flushes, compactions of other tables, reads of other keys. What needs
// the damaged block fails and names it, every time.

namespace siltstone {
namespace {

TEST(DamagedTable, StopsNeitherWritesNorOtherReads) {
  const SampleDatabase sample = MakeSampleDatabase(TestSeed());
  for (const std::string& name : NamesEndingWith(sample.files, ".sst")) {
    FolderImage image = sample.files;
    image[name][50] = static_cast<char>(image[name][50] ^ 4);
    Options options = OptionsOver(image);
    auto db = DB::Open(options, "/db");
    ASSERT_TRUE(db.ok()) << db.status();
    // Over the keys of the sample, so that compactions would need the damaged block, and beside them.
    for (uint64_t round = 0; round < 12; ++round) {
      for (uint64_t i = 0; i < 60; ++i) {
        const uint64_t number = round * 60 + i;
        ASSERT_EQ((*db)->Put(NumberKey(1000 + number), std::to_string(number)), absl::OkStatus());
        ASSERT_EQ((*db)->Put("over" + NumberKey(number % 240), "x"), absl::OkStatus());
      }
      ASSERT_EQ((*db)->Flush(), absl::OkStatus()) << name;
    }
    for (uint64_t number = 0; number < 720; ++number) {
      EXPECT_EQ(TestDatabase::GetFrom(**db, NumberKey(1000 + number)), std::to_string(number));
    }
    size_t right = 0, refused = 0;
    for (const auto& [key, value] : sample.entries) {
      const DB::GetResult result = (*db)->Get(key);
      if (result.ok()) {
        ASSERT_TRUE(result->has_value()) << key;
        EXPECT_EQ((*result)->view(), value);
        ++right;
      } else {
        EXPECT_TRUE(absl::IsDataLoss(result.status()));
        EXPECT_NE(result.status().message().find(name), absl::string_view::npos);
        ++refused;
      }
    }
    EXPECT_GT(refused, 0u) << name;
    EXPECT_GT(right, refused) << name;
    EXPECT_TRUE(absl::IsDataLoss((*db)->VerifyChecksums()));
    EXPECT_EQ((*db)->GetProperty("siltstone.background-error"), "");
    EXPECT_EQ((*db)->Close(), absl::OkStatus());
  }
}

// It ends where the damage is, in either direction, and says so: no end of the data.
TEST(DamagedTable, EndsAWalkWithItsStatus) {
  const SampleDatabase sample = MakeSampleDatabase(TestSeed());
  const std::string name = NamesEndingWith(sample.files, ".sst")[0];
  FolderImage image = sample.files;
  image[name][1200] = static_cast<char>(image[name][1200] ^ 4);
  const Options options = OptionsOver(image);
  auto db = DB::Open(options, "/db");
  ASSERT_TRUE(db.ok()) << db.status();
  for (const bool forward : {true, false}) {
    const auto it = (*db)->NewIterator();
    size_t count = 0;
    forward ? it->SeekToFirst() : it->SeekToLast();
    for (; it->Valid(); forward ? it->Next() : it->Prev()) ++count;
    EXPECT_TRUE(absl::IsDataLoss(it->status())) << it->status();
    EXPECT_NE(it->status().message().find(name), absl::string_view::npos);
    EXPECT_GT(count, 0u);
    EXPECT_LT(count, sample.entries.size());
    // A seek elsewhere starts anew.
    forward ? it->SeekToLast() : it->SeekToFirst();
    EXPECT_TRUE(it->Valid()) << it->status();
    EXPECT_EQ(it->status(), absl::OkStatus());
  }
}

}  // namespace
}  // namespace siltstone
