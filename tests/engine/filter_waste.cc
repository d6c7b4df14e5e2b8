#include "tests/engine/filter_waste.h"

#include <cstdio>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "filter/allocation.h"
#include "filter/bloom_math.h"
#include "tests/support/temporary_directory.h"

namespace siltstone {
namespace {

constexpr uint64_t kTableBytes = uint64_t{4} << 20;

// Level 0: each table is a run, of a number of its own; deeper: one run a level.
std::map<size_t, std::vector<const TableStatistics*>> RunsOf(const Statistics& statistics) {
  std::map<size_t, std::vector<const TableStatistics*>> runs;
  for (size_t i = 0; i < statistics.tables.size(); ++i) {
    const TableStatistics& table = statistics.tables[i];
    const size_t run =
        table.level == 0 ? i : statistics.tables.size() + static_cast<size_t>(table.level);
    runs[run].push_back(&table);
  }
  return runs;
}

// Where a scattered key stands among all numbers, from 0 to 1.
double PlaceOf(std::string_view key) {
  double place = 0;
  for (size_t i = key.size(); i-- > 0;) place = (place + static_cast<uint8_t>(key[i])) / 256;
  return place;
}

void Print(const char* name, const FilterWaste& waste) {
  std::printf(
      "  %-8s filters %10llu bytes, wasted reads an absent key: predicted %.6f, measured "
      "%.6f (%llu false positives of %llu keys)\n",
      name, static_cast<unsigned long long>(waste.filter_bytes), waste.predicted, waste.measured(),
      static_cast<unsigned long long>(waste.false_positives),
      static_cast<unsigned long long>(waste.probes));
}

}  // namespace

double PredictWaste(const Statistics& statistics) {
  double waste = 0;
  for (const TableStatistics& table : statistics.tables) {
    const double width = PlaceOf(table.largest_key) - PlaceOf(table.smallest_key);
    waste += width * SizeCacheLineBloom(table.distinct_keys, table.configured_fp_chance).rate;
  }
  return waste;
}

FilterWaste MeasureWaste(DB& db, uint64_t first_absent, uint64_t probes) {
  const Statistics before = db.GetStatistics();
  FilterWaste waste;
  waste.filter_bytes = db.GetMemoryReport().filter_bytes;
  waste.predicted = PredictWaste(before);
  waste.probes = probes;
  for (uint64_t i = 0; i < probes; ++i) {
    const DB::GetResult result = db.Get(ScatteredKey(first_absent + i).view());
    EXPECT_TRUE(result.ok() && !result->has_value()) << result.status();
  }
  waste.false_positives = db.GetStatistics().filter_false_positives - before.filter_false_positives;
  return waste;
}

std::vector<uint64_t> RunKeys(const Statistics& statistics) {
  std::vector<uint64_t> keys;
  for (const auto& [number, tables] : RunsOf(statistics)) {
    keys.push_back(0);
    for (const TableStatistics* table : tables) keys.back() += table->distinct_keys;
  }
  return keys;
}

AllocationComparison CompareAllocations(const std::vector<uint64_t>& run_keys, uint64_t probes,
                                        const FilterDemand& demand) {
  const uint64_t total = std::accumulate(run_keys.begin(), run_keys.end(), uint64_t{0});
  TemporaryDirectory directory;
  LayeredTree tree(PosixFileSystem(), directory.File("db"), run_keys, kTableBytes);
  AllocationComparison comparison;
  for (const bool by_level : {false, true}) {
    FilterDemand filters = demand;
    filters.allocation = by_level ? FilterAllocation::kByLevel : FilterAllocation::kUniform;
    tree.RewriteWith(filters);
    const std::unique_ptr<DB> db = tree.Open();
    EXPECT_EQ(RunKeys(db->GetStatistics()), run_keys);
    (by_level ? comparison.by_level : comparison.uniform) = MeasureWaste(*db, total, probes);
  }
  const auto& [uniform, by_level] = comparison;
  const double gain = AllocationGain(run_keys);
  std::printf("%zu runs, %llu keys\n", run_keys.size(), static_cast<unsigned long long>(total));
  Print("uniform", uniform);
  Print("by level", by_level);
  std::printf("  times fewer: theory %.3f, predicted %.3f, measured %.3f\n", gain,
              uniform.predicted / by_level.predicted, uniform.measured() / by_level.measured());
  return comparison;
}

}  // namespace siltstone
