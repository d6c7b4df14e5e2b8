#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/hash.h"
#include "filter/bloom_math.h"
#include "filter/table_filter.h"

// Build and probe times of the filters, and their realised rates.
//
// Arguments: kind (1 standard Bloom, 2 cache-line Bloom), keys, chance as 1/x. Counters: bits_per_key of the whole block,
// rate as the set bits predict it. A probe is measured three ways: one after another for absent keys, for present
// keys, and for absent keys where each waits for the answer to the one before (latency, not throughput).

namespace siltstone {
namespace {

constexpr uint64_t kAsked = 1 << 16;  // distinct hashes asked, in turn

FilterOptions OptionsOf(const benchmark::State& state) {
  return {static_cast<FilterKind>(state.range(0)), 1.0 / static_cast<double>(state.range(2))};
}

std::string Build(const FilterOptions& options, uint64_t keys) {
  std::unique_ptr<FilterBuilder> builder = NewTableFilterPolicy(options)->NewBuilder(/*salt=*/1);
  for (uint64_t key = 0; key < keys; ++key) builder->Add(Remix(key));
  return builder->Finish();
}

std::unique_ptr<FilterReader> Open(const benchmark::State& state) {
  const uint64_t keys = static_cast<uint64_t>(state.range(1));
  auto reader = NewTableFilterPolicy({})->OpenReader(Build(OptionsOf(state), keys));
  return reader.ok() ? *std::move(reader) : nullptr;
}

std::vector<uint64_t> Absent() {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < kAsked; ++i) hashes.push_back(Remix(~i));
  return hashes;
}
std::vector<uint64_t> Present(uint64_t keys) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < kAsked; ++i) hashes.push_back(Remix(Remix(i) % keys));
  return hashes;
}

void Report(benchmark::State& state, const FilterReader& filter) {
  state.counters["bits_per_key"] =
      static_cast<double>(filter.memory_bytes()) * 8 / static_cast<double>(filter.key_count());
  state.counters["rate"] = filter.predicted_fp_rate();
}

void Probe(benchmark::State& state, const std::vector<uint64_t>& hashes) {
  const std::unique_ptr<FilterReader> filter = Open(state);
  if (filter == nullptr) return state.SkipWithError("the filter does not open");
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(filter->MayContain(hashes[i]));
    i = (i + 1) % kAsked;
  }
  Report(state, *filter);
}

void ProbeAbsent(benchmark::State& state) { Probe(state, Absent()); }
void ProbePresent(benchmark::State& state) {
  Probe(state, Present(static_cast<uint64_t>(state.range(1))));
}

void ProbeAbsentOneWaitsForTheOther(benchmark::State& state) {
  const std::unique_ptr<FilterReader> filter = Open(state);
  if (filter == nullptr) return state.SkipWithError("the filter does not open");
  const std::vector<uint64_t> hashes = Absent();
  size_t i = 0;
  for (auto _ : state) {
    const size_t answer = filter->MayContain(hashes[i]) ? 1 : 0;
    benchmark::DoNotOptimize(answer);
    i = (i + 1 + answer) % kAsked;
  }
  Report(state, *filter);
}

// Adding the hashes and making the block; the time of a key is 1 / items_per_second.
void BuildFilter(benchmark::State& state) {
  const uint64_t keys = static_cast<uint64_t>(state.range(1));
  const FilterOptions options = OptionsOf(state);
  for (auto _ : state) benchmark::DoNotOptimize(Build(options, keys));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(keys));
}

// Checking the checksum and counting the bits.
void OpenFilter(benchmark::State& state) {
  const uint64_t keys = static_cast<uint64_t>(state.range(1));
  const std::string block = Build(OptionsOf(state), keys);
  const std::unique_ptr<FilterPolicy> policy = NewTableFilterPolicy({});
  for (auto _ : state) benchmark::DoNotOptimize(policy->OpenReader(block));
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
  for (const int64_t kind : {1, 2}) {
    for (const int64_t keys : {10'000, 1'000'000}) {
      for (const int64_t one_in : {10, 100, 1000}) bench->Args({kind, keys, one_in});
    }
  }
}

BENCHMARK(ProbeAbsent)->Apply(Shapes);
BENCHMARK(ProbePresent)->Apply(Shapes);
BENCHMARK(ProbeAbsentOneWaitsForTheOther)->Apply(Shapes);
BENCHMARK(BuildFilter)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(OpenFilter)->Apply(Shapes)->Unit(benchmark::kMicrosecond);
BENCHMARK(SizeFilter)
    ->ArgNames({"keys", "one_in"})
    ->ArgsProduct({{100, 1'000'000}, {10, 100, 1000, 10'000}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace siltstone
