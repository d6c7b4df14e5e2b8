#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/check.h"
#include "bench/micro/filter_inputs.h"
#include "filter/bloom_math.h"

// Build and probe times of the filters, and what they give for it.
//
// Arguments: kind (1 standard Bloom, 2 cache-line Bloom, 3 ribbon, as far as they are built), keys, chance as 1/x. The
// time of a probe or of a key is 1 / items_per_second. Counters of BuildFilter: bits_per_key of the whole block,
// over_limit (1 is log2(1/chance) bits a key), rate measured with absent keys, false_negatives over all keys (0).
// siltstone_filter_table measures the same in turn and prints it as a table.

namespace siltstone::bench {
namespace {

FilterOptions OptionsOf(const benchmark::State& state) {
  return {static_cast<FilterKind>(state.range(0)), 1.0 / static_cast<double>(state.range(2))};
}
uint64_t KeysOf(const benchmark::State& state) { return static_cast<uint64_t>(state.range(1)); }

void Probe(benchmark::State& state, Asked asked,
           uint64_t (*ask)(const FilterReader&, std::span<const uint64_t>)) {
  const std::unique_ptr<FilterReader> filter =
      Open(OptionsOf(state), BuildBlock(OptionsOf(state), KeysOf(state)));
  if (filter == nullptr) return state.SkipWithError("the filter does not open");
  const std::vector<uint64_t> hashes = MakeHashes(asked, KeysOf(state));
  for (auto _ : state) benchmark::DoNotOptimize(ask(*filter, hashes));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(hashes.size()));
}

void ProbeAbsent(benchmark::State& state) { Probe(state, Asked::kAbsent, AskEach); }
void ProbeHalf(benchmark::State& state) { Probe(state, Asked::kHalf, AskEach); }
void ProbePresent(benchmark::State& state) { Probe(state, Asked::kPresent, AskEach); }
void ProbeBatch(benchmark::State& state) { Probe(state, Asked::kAbsent, AskInBatches); }

void ProbeCold(benchmark::State& state) {
  const FilterOptions options = OptionsOf(state);
  const ColdFilters filters(options, BuildBlock(options, KeysOf(state)));
  const std::vector<uint64_t> hashes = MakeHashes(Asked::kAbsent, KeysOf(state));
  for (auto _ : state) benchmark::DoNotOptimize(filters.Ask(hashes));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(hashes.size()));
}

// Adding the hashes, making the block, and its truth.
void BuildFilter(benchmark::State& state) {
  const FilterOptions options = OptionsOf(state);
  std::string block;
  for (auto _ : state) {
    block = BuildBlock(options, KeysOf(state));
    benchmark::DoNotOptimize(block.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(KeysOf(state)));
  const double bits_per_key =
      static_cast<double>(block.size()) * 8 / static_cast<double>(KeysOf(state));
  const std::unique_ptr<FilterReader> filter = Open(options, std::move(block));
  if (filter == nullptr) return state.SkipWithError("the filter does not open");
  const Truth truth = MeasureTruth(*filter, KeysOf(state), 4'000'000);
  SILTSTONE_CHECK(truth.false_negatives == 0);
  state.counters["bits_per_key"] = bits_per_key;
  state.counters["over_limit"] = bits_per_key / LeastBitsPerKey(options.fp_chance);
  state.counters["rate"] = truth.rate();
  state.counters["false_negatives"] = static_cast<double>(truth.false_negatives);
}

// Checking the checksum, copying and counting the bits.
void OpenFilter(benchmark::State& state) {
  const std::string block = BuildBlock(OptionsOf(state), KeysOf(state));
  for (auto _ : state) benchmark::DoNotOptimize(Open(OptionsOf(state), block));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(block.size()));
}

void SizeFilter(benchmark::State& state) {
  const uint64_t keys = static_cast<uint64_t>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(SizeCacheLineBloom(keys, 1.0 / static_cast<double>(state.range(1))));
  }
}

void Shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"kind", "keys", "one_in"});
  std::vector<int64_t> sizes = {1'000, 100'000, 1'000'000, 10'000'000};
  if (WithHugeFilters()) sizes.push_back(100'000'000);
  for (const FilterKind kind : kKinds) {
    if (!IsFilterKindBuilt(kind)) continue;
    for (const int64_t keys : sizes) {
      for (const int64_t one_in : {10, 100, 1000, 10'000}) {
        bench->Args({static_cast<int64_t>(kind), keys, one_in});
      }
    }
  }
}

BENCHMARK(ProbeAbsent)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(ProbeHalf)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(ProbePresent)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(ProbeBatch)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(ProbeCold)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(BuildFilter)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(OpenFilter)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(SizeFilter)
    ->ArgNames({"keys", "one_in"})
    ->ArgsProduct({{100, 1'000'000}, {10, 100, 1000, 10'000}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace siltstone::bench
