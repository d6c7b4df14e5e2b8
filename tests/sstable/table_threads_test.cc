#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sstable/table_test_support.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

TEST(TableThreads, GetsAndScansShareATinyCache) {
  const uint64_t seed = TestSeed();
  const Entries entries = RandomEntries(seed, 600, KeyOrder(BytewiseComparator()));
  std::vector<std::string> user_keys, answers;
  for (const auto& entry : entries) {
    user_keys.emplace_back(ExtractUserKey(entry.first));
    answers.push_back(ModelText(entries, user_keys.back(), kMaxSequenceNumber));
  }
  BlockCache cache(8 << 10, 300);
  TableReaderOptions options = ReaderOptionsForTest();
  options.block_cache = &cache;
  const OpenedTable table = OpenTable(BuildTable(entries).bytes, options);
  ASSERT_TRUE(table.reader.ok());
  const TableReader& reader = **table.reader;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(seed + t);
      for (int i = 0; i < 3000; ++i) {
        const size_t n = random() % (i % 2 == 0 ? 20 : user_keys.size());
        EXPECT_EQ(GetText(reader, user_keys[n], kMaxSequenceNumber), answers[n]);
        reader.filter_counters().Add(kFilterChecked, 1);
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < 20; ++i) {
      absl::Status status;
      EXPECT_EQ(ScanAll(reader, &status).size(), entries.size());
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reader.filter_counters().Sum(kFilterChecked), 9000u);
  EXPECT_LE(cache.usage_bytes(), size_t{8} << 10);
}

}  // namespace
}  // namespace siltstone
