#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/logger.h"

#include "base/checksum.h"
#include "base/coding.h"
#include "engine/manifest/secret_ring.h"
#include "filter/filter_block.h"
#include "sstable/block_format.h"
#include "sstable/footer.h"
#include "tests/engine/test_database.h"

// Filters are seeded with a secret that only the database has, and salted by table; one that cannot be used costs reads
// and nothing else.

namespace siltstone {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr uint64_t kKeys = 20'000;

class ListLogger final : public Logger {
 public:
  void Log(LogLevel, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(message);
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

Options TestOptions() {
  Options options = SmallOptions();
  options.memory_budget_bytes = size_t{16} << 20;
  options.write_buffer_size_bytes = size_t{1} << 20;
  options.bloom_filter_fp_chance = 0.02;
  options.durability = Durability::kBuffered;
  return options;
}

void Fill(TestDatabase* db) {
  for (uint64_t i = 0; i < kKeys; ++i) db->Put(NumberKey(2 * i), "v");
  db->Flush();
}

std::string OnlyTable(TestDatabase* db) {
  const Statistics statistics = (*db)->GetStatistics();
  EXPECT_EQ(statistics.tables.size(), 1u);
  return statistics.tables[0].file_name;
}

std::string ReadTable(TestDatabase* db, const std::string& name) {
  FileSystem& files = *db->options().file_system;
  const absl::StatusOr<std::string> bytes = files.ReadFile(db->path() + "/" + name);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

struct TableBytes {
  std::string name, bytes;
  Footer footer;
};
TableBytes ReadOnlyTable(TestDatabase* db) {
  TableBytes table;
  table.name = OnlyTable(db);
  table.bytes = ReadTable(db, table.name);
  const absl::Status status =
      DecodeFooter(std::string_view(table.bytes).substr(table.bytes.size() - kFooterBytes),
                   table.bytes.size(), table.name, &table.footer);
  EXPECT_TRUE(status.ok()) << status;
  return table;
}

void WriteTable(TestDatabase* db, const std::string& name, const std::string& bytes) {
  FileSystem& files = *db->options().file_system;
  const std::string path = db->path() + "/" + name;
  ASSERT_EQ(files.DeleteFile(path), absl::OkStatus());
  auto file = files.CreateTable(path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ((*file)->Append(bytes), absl::OkStatus());
  ASSERT_EQ((*file)->Finish(), absl::OkStatus());
}

std::vector<uint64_t> FalsePositives(TestDatabase* db, const std::vector<uint64_t>& numbers) {
  std::vector<uint64_t> wrong;
  for (const uint64_t number : numbers) {
    if ((*db)->MayContain(NumberKey(number))) wrong.push_back(number);
  }
  return wrong;
}

std::vector<uint64_t> AbsentNumbers(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = begin; i < end; ++i) numbers.push_back(2 * i + 1);
  return numbers;
}

TEST(FilterSecret, KeysThatFoolOneDatabaseDoNotFoolItsTwin) {
  TestDatabase a(TestOptions());
  TestDatabase b(TestOptions());
  Fill(&a);
  Fill(&b);
  const std::vector<uint64_t> crafted = FalsePositives(&a, AbsentNumbers(0, kKeys - 1));
  // 4 standard deviations around 400 of 20,000.
  ASSERT_GT(crafted.size(), 320u);
  ASSERT_LT(crafted.size(), 480u);
  const size_t fooled = FalsePositives(&b, crafted).size();
  EXPECT_LE(static_cast<double>(fooled), 3 * 0.02 * static_cast<double>(crafted.size()));
  EXPECT_EQ(FalsePositives(&a, crafted), crafted) << "the same every time in the first one";
}

TEST(FilterSecret, KeysThatFoolOneTableDoNotFoolItsRewrittenSelf) {
  TestDatabase db(TestOptions());
  Fill(&db);
  const std::vector<uint64_t> crafted = FalsePositives(&db, AbsentNumbers(0, kKeys - 1));
  db.Put(NumberKey(0), "newer");
  db.CompactAll();
  const size_t fooled = FalsePositives(&db, crafted).size();
  EXPECT_LE(static_cast<double>(fooled), 3 * 0.02 * static_cast<double>(crafted.size()));
}

TEST(FilterSecret, IsInNoTableFile) {
  TestDatabase db(TestOptions());
  Fill(&db);
  const auto ring = ReadSecretRing(*db.options().file_system, db.path());
  ASSERT_TRUE(ring.ok()) << ring.status();
  std::string seed;
  AppendFixed64(&seed, ring->current_seed());
  const std::string table = ReadTable(&db, OnlyTable(&db));
  EXPECT_EQ(table.find(seed), std::string::npos);
  EXPECT_EQ(table.find(std::string(seed.rbegin(), seed.rend())), std::string::npos);
}

// Every key is found and no other, without any filter.
void ExpectReadsWithout(TestDatabase* db) {
  const Statistics before = (*db)->GetStatistics();
  for (uint64_t i = 0; i < kKeys; i += 7) {
    ASSERT_EQ(db->Get(NumberKey(2 * i)), "v");
    ASSERT_EQ(db->Get(NumberKey(2 * i + 1)), "(absent)");
    ASSERT_TRUE((*db)->MayContain(NumberKey(2 * i + 1)) || i + 1 == kKeys);
  }
  EXPECT_EQ((*db)->GetStatistics().filters_checked, before.filters_checked);
}

TEST(FilterFault, ADamagedFilterIsCountedNamedAndNeverWrong) {
  Options options = TestOptions();
  const auto logger = std::make_shared<ListLogger>();
  options.logger = logger;
  TestDatabase db(options);
  Fill(&db);
  const auto [name, whole, footer] = ReadOnlyTable(&db);
  db.Close();
  // Its kind, its number of keys, its bits, its checksum.
  for (const uint64_t place : {uint64_t{6}, uint64_t{20}, footer.filter.stored_size_bytes / 2,
                               footer.filter.stored_size_bytes - 1}) {
    std::string damaged = whole;
    damaged[footer.filter.offset + place] ^= 0x10;
    WriteTable(&db, name, damaged);
    db.Open();
    EXPECT_EQ(db->GetStatistics().filters_unusable, 1u);
    EXPECT_THAT(db->GetStatistics().tables[0].filter_fault, HasSubstr(name));
    EXPECT_EQ(db->GetStatistics().tables[0].filter_kind, "none");
    EXPECT_THAT(logger->lines(), Contains(HasSubstr("table is read without its filter")));
    ExpectReadsWithout(&db);
    db.Close();
  }
  WriteTable(&db, name, whole);
  db.Open();
  EXPECT_EQ(db->GetStatistics().filters_unusable, 0u);
  EXPECT_FALSE(FalsePositives(&db, AbsentNumbers(0, 5000)).size() > 500);
}

// The table with other bytes for its filter block, every checksum right: what a later version might have written.
std::string WithFilterByte(const std::string& whole, const Footer& footer, size_t place,
                           uint8_t value) {
  std::string block =
      whole.substr(footer.filter.offset, footer.filter.stored_size_bytes - kBlockTrailerBytes);
  block[place] = static_cast<char>(value);
  const size_t covered = block.size() - kFilterChecksumBytes;
  StoreFixed64(&block[covered], Checksum64({block.data(), covered}));
  SealBlock(&block, BlockKind::kFilter, Compression::kNone, block.size(), footer.table_id,
            footer.filter.offset);
  return std::string(whole).replace(footer.filter.offset, block.size(), block);
}

TEST(FilterFault, AKindOrAVersionNotKnownHereIsCountedNamedAndNoDamage) {
  Options options = TestOptions();
  const auto logger = std::make_shared<ListLogger>();
  options.logger = logger;
  TestDatabase db(options);
  Fill(&db);
  const auto [name, whole, footer] = ReadOnlyTable(&db);
  db.Close();
  constexpr size_t kVersionPlace = 4, kKindPlace = 6;
  for (const size_t place : {kVersionPlace, kKindPlace}) {
    WriteTable(&db, name, WithFilterByte(whole, footer, place, 77));
    db.Open();
    EXPECT_EQ(db->GetStatistics().filters_unusable, 1u);
    EXPECT_THAT(db->GetStatistics().tables[0].filter_fault,
                AllOf(HasSubstr(name), HasSubstr("77")));
    EXPECT_THAT(logger->lines(), Contains(HasSubstr("77")));
    ExpectReadsWithout(&db);
    EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
    // A table that is written anew has a filter again.
    if (place == kKindPlace) {
      db.Put(NumberKey(0), "v");
      db.CompactAll();
      EXPECT_EQ(db->GetStatistics().tables[0].filter_kind, "bloom");
    }
    db.Close();
  }
}

TEST(FilterFault, WithoutItsSecretATableIsReadUnfiltered) {
  TestDatabase db(TestOptions());
  Fill(&db);
  db.Close();
  ASSERT_EQ(db.options().file_system->DeleteFile("/db/SECRETS"), absl::OkStatus());
  db.Open();
  EXPECT_EQ(db->GetStatistics().filters_unusable, 1u);
  ExpectReadsWithout(&db);
  // What is written from now on has a filter of the new secret.
  db.Put(NumberKey(0), "v");
  db.CompactAll();
  EXPECT_EQ(db->GetStatistics().tables[0].filter_kind, "bloom");
  EXPECT_LT(FalsePositives(&db, AbsentNumbers(0, 5000)).size(), 500u);
}

TEST(FilterMemory, FiltersBeyondTheBudgetAreReportedAndTheCacheKeepsATenth) {
  Options options = TestOptions();
  options.memory_budget_bytes = size_t{128} << 10;
  options.write_buffer_size_bytes = size_t{32} << 10;
  options.bloom_filter_fp_chance = 1e-9;
  const auto logger = std::make_shared<ListLogger>();
  options.logger = logger;
  TestDatabase db(options);
  Fill(&db);
  db.CompactAll();
  const MemoryReport report = db->GetMemoryReport();
  EXPECT_GT(report.filter_bytes, report.budget_bytes / 2);
  EXPECT_EQ(report.over_budget_bytes, report.total_bytes - report.budget_bytes);
  EXPECT_THAT(logger->lines(), Contains(HasSubstr("filters and indexes exceed their share")));
  for (uint64_t i = 0; i < kKeys; i += 3) ASSERT_EQ(db.Get(NumberKey(2 * i)), "v");
  EXPECT_GT(db->GetMemoryReport().block_cache_bytes, 0u);
}

}  // namespace
}  // namespace siltstone
