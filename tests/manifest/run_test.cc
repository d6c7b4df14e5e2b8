#include "engine/manifest/run.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/manifest/manifest_fixture.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

using manifest_test::MakeTable;
using manifest_test::RandomKey;

using TableList = std::vector<std::shared_ptr<Table>>;
using SortedRun = Run;  // gtest's Test has a Run of its own

size_t LinearLowerBound(KeyOrder order, const TableList& tables, std::string_view key) {
  size_t i = 0;
  while (i < tables.size() && order.CompareUserKeys(tables[i]->meta.largest_user_key(), key) < 0) {
    ++i;
  }
  return i;
}

const Table* LinearFind(KeyOrder order, const TableList& tables, std::string_view key) {
  for (const auto& table : tables) {
    if (order.CompareUserKeys(table->meta.smallest_user_key(), key) <= 0 &&
        order.CompareUserKeys(key, table->meta.largest_user_key()) <= 0) {
      return table.get();
    }
  }
  return nullptr;
}

// Disjoint tables over random keys, some of one key.
TableList RandomTables(KeyOrder order, Random* random, size_t keys) {
  std::vector<std::string> bounds;
  for (size_t i = 0; i < keys; ++i) bounds.push_back(RandomKey(random->Next()));
  std::sort(bounds.begin(), bounds.end(), [&](const std::string& a, const std::string& b) {
    return order.CompareUserKeys(a, b) < 0;
  });
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  TableList tables;
  for (size_t i = 0; i < bounds.size();) {
    const size_t last = random->OneIn(4) ? i : std::min(i + 1, bounds.size() - 1);
    tables.push_back(MakeTable(tables.size() + 1, bounds[i], bounds[last]));
    i = last + 1;
  }
  return tables;
}

void CompareWithLinearSearch(const Comparator* comparator) {
  Random random(TestSeed());
  const KeyOrder order(comparator);
  for (int round = 0; round < 300; ++round) {
    const TableList tables = RandomTables(order, &random, random.Uniform(60));
    const Run run(order, tables);
    for (int probe = 0; probe < 100; ++probe) {
      const std::string key = RandomKey(random.Next());
      ASSERT_EQ(run.LowerBound(key), LinearLowerBound(order, tables, key));
      ASSERT_EQ(run.Find(key), LinearFind(order, tables, key));
    }
    for (const auto& table : tables) {
      ASSERT_EQ(run.Find(table->meta.smallest_user_key()), table.get());
      ASSERT_EQ(run.Find(table->meta.largest_user_key()), table.get());
    }
  }
}

TEST(Run, FindsWhatALinearSearchFindsInByteOrder) { CompareWithLinearSearch(BytewiseComparator()); }

TEST(Run, FindsWhatALinearSearchFindsInAnotherOrder) {
  CompareWithLinearSearch(manifest_test::ReverseComparator());
}

TEST(Run, OfNoTableFindsNothing) {
  const SortedRun run(KeyOrder(BytewiseComparator()), {});
  EXPECT_EQ(run.Find("a"), nullptr);
  EXPECT_EQ(run.Find(""), nullptr);
  EXPECT_EQ(run.LowerBound("a"), 0u);
}

TEST(Run, FindsTheEmptyKey) {
  const SortedRun run(KeyOrder(BytewiseComparator()),
                      {MakeTable(1, "", ""), MakeTable(2, "a", "b")});
  EXPECT_EQ(run.Find(std::string_view()), run.tables()[0].get());
  EXPECT_EQ(run.Find(std::string_view("\0", 1)), nullptr);
}

TEST(Run, TellsItsSize) {
  const SortedRun run(KeyOrder(BytewiseComparator()),
                      {MakeTable(1, "a", "b"), MakeTable(2, "c", "d")});
  EXPECT_EQ(run.size(), 2u);
  EXPECT_EQ(run.size_bytes(), 2003u);
}

}  // namespace
}  // namespace siltstone
