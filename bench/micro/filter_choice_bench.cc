#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "siltstone/db.h"

#include "base/hash.h"

// What a filter kind costs and gives inside the engine: a database is filled in random order and compacted whole; then absent
// and present keys are read. In $TMPDIR, so that it can be memory.
//
//   siltstone_microbench --benchmark_filter=FilterKindInTheEngine --benchmark_repetitions=3

namespace siltstone {
namespace {

constexpr uint64_t kKeys = 5'000'000;
constexpr uint64_t kReads = 1'000'000;

std::string KeyOf(uint64_t number) {
  const uint64_t place = Remix(number);
  return std::string(reinterpret_cast<const char*>(&place), sizeof(place));
}

struct Folder {
  Folder() : path((std::filesystem::temp_directory_path() / "siltstone-bench-XXXXXX").string()) {
    if (mkdtemp(path.data()) == nullptr) std::abort();
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

double NanosPerRead(DB& db, uint64_t first, bool present, benchmark::State& state) {
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < kReads; ++i) {
    const DB::GetResult result = db.Get(KeyOf(first + Remix(i) % kKeys));
    if (!result.ok() || result->has_value() != present) state.SkipWithError("a wrong answer");
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(kReads);
}

void FilterKindInTheEngine(benchmark::State& state) {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size_bytes = size_t{8} << 20;  // four levels
  options.memory_budget_bytes = size_t{1} << 30;
  options.durability = Durability::kBuffered;
  options.filter_kind = static_cast<FilterKind>(state.range(0));
  for (auto _ : state) {
    const Folder folder;
    const auto begin = std::chrono::steady_clock::now();
    absl::StatusOr<std::unique_ptr<DB>> db = DB::Open(options, folder.path + "/db");
    if (!db.ok()) return state.SkipWithError("no database");
    bool good = true;
    for (uint64_t i = 0; i < kKeys; ++i) good &= (*db)->Put(KeyOf(i), std::string(32, 'v')).ok();
    const std::chrono::duration<double> filled = std::chrono::steady_clock::now() - begin;
    good &= (*db)->CompactRange().ok();
    if (!good) return state.SkipWithError("a write was refused");
    const std::chrono::duration<double> compacted = std::chrono::steady_clock::now() - begin;
    state.counters["fill_s"] = filled.count();
    state.counters["fill_and_compact_s"] = compacted.count();
    state.counters["filter_bits_a_key"] =
        8.0 * static_cast<double>((*db)->GetMemoryReport().filter_bytes) / kKeys;
    state.counters["compacted_MB"] =
        static_cast<double>((*db)->GetStatistics().compaction_bytes_written) / 1e6;
    state.counters["absent_ns"] = NanosPerRead(**db, kKeys, false, state);
    state.counters["present_ns"] = NanosPerRead(**db, 0, true, state);
  }
}

BENCHMARK(FilterKindInTheEngine)
    ->ArgName("kind")
    ->Arg(static_cast<int>(FilterKind::kBloom))
    ->Arg(static_cast<int>(FilterKind::kAuto))
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime();

}  // namespace
}  // namespace siltstone
