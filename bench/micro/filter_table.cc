#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "bench/micro/filter_inputs.h"
#include "filter/bloom_math.h"

// siltstone_filter_table [KEYS [ONE_IN]]: the filters side by side, as a table.
//
// Every way of asking is measured for every kind in turn, many times over, and the best round of each is taken: on a
// machine that others use as well, kinds that were measured one after the other would differ by their luck.
// Without arguments: 1e3, 1e5, 1e6 and 1e7 keys (1e8 with SILTSTONE_BENCH_HUGE set), chances of 1/10 to 1/10,000.

namespace siltstone::bench {
namespace {

constexpr int kRounds = 40;

// The best time of a call so far, in nanoseconds an item.
class BestTime {
 public:
  template <typename Call>
  void Measure(uint64_t items, const Call& call) {
    const auto start = std::chrono::steady_clock::now();
    sink_ = sink_ + call();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best_ = std::min(best_, time.count() / static_cast<double>(items));
  }
  double ns() const { return best_; }

 private:
  double best_ = 1e18;
  volatile uint64_t sink_ = 0;
};

struct Row {
  FilterOptions options;
  std::string name;
  std::unique_ptr<FilterReader> filter;
  std::unique_ptr<ColdFilters> cold;
  double bits_per_key = 0;
  Truth truth;
  BestTime build, absent, half, present, batch, cold_probe;
};

std::vector<Row> MakeRows(uint64_t keys, double chance) {
  std::vector<Row> rows;
  for (const FilterKind kind : kKinds) {
    if (!IsFilterKindBuilt(kind)) continue;
    for (const CpuFeatures& cpu : CpuLevels()) {
      // One path for the standard filter, which has no other; plain C++ and the best path of the others.
      const bool best = cpu == MachineCpu();
      if (!best && (kind == FilterKind::kStandardBloom || cpu != CpuFeatures{})) continue;
      Row& row = rows.emplace_back();
      row.options = {kind, chance, cpu};
      std::string block = BuildBlock(row.options, keys);
      row.bits_per_key = static_cast<double>(block.size()) * 8 / static_cast<double>(keys);
      row.cold = std::make_unique<ColdFilters>(row.options, block);
      row.filter = Open(row.options, std::move(block));
      if (row.filter == nullptr) std::abort();
      row.name = std::string(row.filter->kind_name());
      if (kind != FilterKind::kStandardBloom) row.name += " " + std::string(CpuLevelName(cpu));
      row.truth = MeasureTruth(*row.filter, keys, 4'000'000);
    }
  }
  return rows;
}

void MeasureWarm(Row* row, const std::vector<uint64_t> (&hashes)[3]) {
  AskInBatches(*row->filter, hashes[2]);
  BestTime* const warm[] = {&row->absent, &row->half, &row->present};
  for (int asked = 0; asked < 3; ++asked) {
    // Their bits come back to the caches.
    for (int pass = 0; pass < 2; ++pass) AskEach(*row->filter, hashes[asked]);
    warm[asked]->Measure(kAsked, [&] { return AskEach(*row->filter, hashes[asked]); });
  }
  row->batch.Measure(kAsked, [&] { return AskInBatches(*row->filter, hashes[0]); });
}

void PrintTable(uint64_t keys, double chance) {
  std::vector<Row> rows = MakeRows(keys, chance);
  const std::vector<uint64_t> hashes[3] = {MakeHashes(Asked::kAbsent, keys),
                                           MakeHashes(Asked::kHalf, keys),
                                           MakeHashes(Asked::kPresent, keys)};
  for (int round = 0; round < kRounds; ++round) {
    for (Row& row : rows) MeasureWarm(&row, hashes);
  }
  for (int round = 0; round < (keys <= 1'000'000 ? 5 : 2); ++round) {
    for (Row& row : rows) {
      row.build.Measure(keys, [&] { return BuildBlock(row.options, keys).size(); });
      row.cold_probe.Measure(kAsked, [&] { return row.cold->Ask(hashes[0]); });
    }
  }
  for (const Row& row : rows) {
    std::printf(
        "| %.0e | %g | %s | %.2f / %.2f / %.2f | %.2f | %.0f | %.1f | %.3f | %.1f %% | %.4g %% | "
        "%llu |\n",
        static_cast<double>(keys), chance, row.name.c_str(), row.absent.ns(), row.half.ns(),
        row.present.ns(), row.batch.ns(), row.cold_probe.ns(), row.build.ns(), row.bits_per_key,
        100 * (row.bits_per_key / LeastBitsPerKey(chance) - 1), 100 * row.truth.rate(),
        static_cast<unsigned long long>(row.truth.false_negatives));
  }
  std::fflush(stdout);
}

void PrintTables(const std::vector<uint64_t>& sizes, const std::vector<double>& chances) {
  std::printf(
      "| keys | p | kind | ns a probe, absent / half / present | batched | cold | ns a key to "
      "build "
      "| bits/key | over the limit | measured rate | false negatives |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const uint64_t keys : sizes) {
    for (const double chance : chances) PrintTable(keys, chance);
  }
}

}  // namespace
}  // namespace siltstone::bench

int main(int argc, char** argv) {
  std::vector<uint64_t> sizes = {1'000, 100'000, 1'000'000, 10'000'000};
  std::vector<double> chances = {0.1, 0.01, 0.001, 0.0001};
  if (siltstone::bench::WithHugeFilters()) sizes.push_back(100'000'000);
  if (argc > 1) sizes = {static_cast<uint64_t>(std::strtod(argv[1], nullptr))};
  if (argc > 2) chances = {1 / std::strtod(argv[2], nullptr)};
  if (sizes[0] == 0 || !(chances[0] > 0 && chances[0] < 1)) {
    std::fprintf(stderr, "usage: siltstone_filter_table [KEYS [ONE_IN]]\n");
    return 2;
  }
  siltstone::bench::PrintTables(sizes, chances);
}
