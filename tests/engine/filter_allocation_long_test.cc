#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "filter/allocation.h"
#include "tests/engine/filter_waste.h"
#include "tests/engine/test_database.h"
#include "tests/support/temporary_directory.h"

// FilterAllocation::kByLevel with twenty million keys. Trees of exact shape must show the theory within a tenth; trees
// that grew by themselves show what is left of it when each table keeps the chance of the time it was written.

namespace siltstone {
namespace {

constexpr uint64_t kKeys = 20'000'000;

// `runs` sizes that grow by `ratio` and add up to kKeys, the smallest first.
std::vector<uint64_t> GeometricRuns(size_t runs, uint64_t ratio) {
  double unit = 0;
  for (double i = 0, power = 1; i < static_cast<double>(runs); ++i, power *= ratio) unit += power;
  std::vector<uint64_t> keys;
  double size = static_cast<double>(kKeys) / unit;
  for (size_t i = 0; i < runs; ++i, size *= static_cast<double>(ratio)) {
    keys.push_back(static_cast<uint64_t>(size));
  }
  return keys;
}

void ExpectTheory(const std::vector<uint64_t>& run_keys) {
  constexpr uint64_t kProbes = 2'000'000;
  const auto [uniform, by_level] = CompareAllocations(run_keys, kProbes, {.fp_chance = 0.01});
  const double bytes = static_cast<double>(uniform.filter_bytes);
  EXPECT_NEAR(static_cast<double>(by_level.filter_bytes) / bytes, 1, 0.005);
  EXPECT_NEAR(uniform.measured() / uniform.predicted, 1, 0.03);
  EXPECT_NEAR(by_level.measured() / by_level.predicted, 1, 0.03);
  EXPECT_NEAR(uniform.measured() / by_level.measured() / AllocationGain(run_keys), 1, 0.1);
}

TEST(FilterAllocationLong, ThreeRunsOfRatioTen) { ExpectTheory(GeometricRuns(3, 10)); }
TEST(FilterAllocationLong, FiveRunsOfRatioTen) { ExpectTheory(GeometricRuns(5, 10)); }
TEST(FilterAllocationLong, SevenRunsOfRatioFour) { ExpectTheory(GeometricRuns(7, 4)); }

// A tree that grew through DB::Put, its background jobs and their moves alone; and what the same tree wastes when all
// of its tables are written again in view of each other.
struct GrownTree {
  std::vector<uint64_t> run_keys;
  FilterWaste grown;
  FilterWaste rewritten;
  FilterWaste with_uniform;  // rewritten with the same chance everywhere
};

constexpr size_t kWriteBufferBytes = size_t{128} << 10;

void FillAndSettle(TestDatabase* db, uint64_t keys) {
  for (uint64_t i = 0; i < keys; ++i) db->Put(ScatteredKey(i).view(), "8 bytes.");
  constexpr uint64_t kSettledRuns = 4;
  while ((*db)->GetStatistics().levels[0].runs > kSettledRuns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

GrownTree Grow(uint64_t keys) {
  constexpr FilterAllocation kAllocation = FilterAllocation::kByLevel;
  constexpr uint64_t kProbes = 500'000;
  TemporaryDirectory directory;
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size_bytes = kWriteBufferBytes;
  options.compression = Compression::kNone;
  options.durability = Durability::kBuffered;
  options.filter_allocation = kAllocation;
  TestDatabase db(options, directory.File("db"));
  FillAndSettle(&db, keys);
  db->Flush().IgnoreError();
  db.Close();
  LayeredTree tree(PosixFileSystem(), db.path(), kWriteBufferBytes);
  GrownTree grown;
  {
    const std::unique_ptr<DB> as_grown = tree.Open();
    grown.run_keys = RunKeys(as_grown->GetStatistics());
    grown.grown = MeasureWaste(*as_grown, keys, kProbes);
  }
  tree.RewriteWith({.allocation = kAllocation});
  grown.rewritten = MeasureWaste(*tree.Open(), keys, kProbes);
  tree.RewriteWith({});
  grown.with_uniform = MeasureWaste(*tree.Open(), keys, kProbes);
  return grown;
}

void PrintGrown(const GrownTree& tree) {
  std::printf("  runs of");
  for (const uint64_t n : tree.run_keys) std::printf(" %llu", static_cast<unsigned long long>(n));
  std::printf(" keys\n");
  for (const FilterWaste* waste : {&tree.grown, &tree.rewritten, &tree.with_uniform}) {
    std::printf(
        "    %-10s %8llu bytes, wasted reads an absent key: predicted %.6f, measured %.6f "
        "(%llu false positives)\n",
        waste == &tree.grown       ? "as grown:"
        : waste == &tree.rewritten ? "rewritten:"
                                   : "uniform:",
        static_cast<unsigned long long>(waste->filter_bytes), waste->predicted, waste->measured(),
        static_cast<unsigned long long>(waste->false_positives));
  }
}

TEST(FilterAllocationLong, AGrowingTreeStaysNearTheTheory) {
  for (const uint64_t keys : {500'000, 1'000'000, 2'000'000}) {
    std::printf("grown by %llu puts\n", static_cast<unsigned long long>(keys));
    const GrownTree tree = Grow(keys);
    PrintGrown(tree);
    const double bytes = static_cast<double>(tree.grown.filter_bytes);
    EXPECT_NEAR(tree.grown.measured() / tree.grown.predicted, 1, 0.05);
    EXPECT_NEAR(bytes / static_cast<double>(tree.rewritten.filter_bytes), 1, 0.05);
    EXPECT_NEAR(bytes / static_cast<double>(tree.with_uniform.filter_bytes), 1, 0.05);
    EXPECT_NEAR(tree.grown.measured() / tree.rewritten.measured(), 1, 0.15);
    // How much less depends on the shape: little when the deepest two runs are as large as each other.
    EXPECT_LT(tree.grown.measured(), tree.with_uniform.measured());
  }
}

}  // namespace
}  // namespace siltstone
