#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "filter/table_filter.h"

// What the benchmarks of filters share: filters of numbered keys, the hashes they are asked, and the loops that ask.
//
// Key i has the hash Remix(i); absent hashes are those of numbers from 2^63 on. kAsked of them are asked in turn:
// enough that a branch predictor cannot learn their answers.

namespace siltstone::bench {

inline constexpr uint64_t kAsked = 1 << 16;
inline constexpr FilterKind kKinds[] = {FilterKind::kStandardBloom, FilterKind::kBloom,
                                        FilterKind::kRibbon};

inline std::string BuildBlock(const FilterOptions& options, uint64_t keys, uint64_t salt = 1) {
  std::unique_ptr<FilterBuilder> builder = NewTableFilterPolicy(options)->NewBuilder(salt);
  for (uint64_t key = 0; key < keys; ++key) builder->Add(Remix(key));
  return builder->Finish();
}

inline std::unique_ptr<FilterReader> Open(const FilterOptions& options, std::string block) {
  auto reader = NewTableFilterPolicy(options)->OpenReader(std::move(block));
  return reader.ok() ? *std::move(reader) : nullptr;
}

enum class Asked { kAbsent, kHalf, kPresent };

inline std::vector<uint64_t> MakeHashes(Asked asked, uint64_t keys) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < kAsked; ++i) {
    const bool present = asked == Asked::kPresent || (asked == Asked::kHalf && Remix(~i) % 2 == 0);
    hashes.push_back(present ? Remix(Remix(i) % keys) : Remix(i + (uint64_t{1} << 63)));
  }
  return hashes;
}

// One after another; how many said "maybe". Not inlined, so that the loop has the registers to itself everywhere.
[[gnu::noinline]] inline uint64_t AskEach(const FilterReader& filter,
                                          std::span<const uint64_t> hashes) {
  uint64_t maybe = 0;
  for (const uint64_t hash : hashes) maybe += filter.MayContain(hash);
  return maybe;
}

// All with one call a batch.
inline constexpr size_t kBatch = 1024;
[[gnu::noinline]] inline uint64_t AskInBatches(const FilterReader& filter,
                                               std::span<const uint64_t> hashes) {
  bool answers[kBatch];
  uint64_t maybe = 0;
  for (size_t start = 0; start < hashes.size(); start += kBatch) {
    const size_t count = std::min(kBatch, hashes.size() - start);
    filter.MayContain(hashes.subspan(start, count), {answers, count});
    for (size_t i = 0; i < count; ++i) maybe += answers[i];
  }
  return maybe;
}

// Copies of a filter that together are much larger than the caches, so that nearly every probe misses them.
class ColdFilters {
 public:
  ColdFilters(const FilterOptions& options, const std::string& block) {
    constexpr size_t kBytes = 256 << 20, kMost = 1 << 14;
    const size_t count = std::clamp<size_t>(kBytes / block.size(), 1, kMost);
    for (size_t i = 0; i < count; ++i) filters_.push_back(Open(options, block));
  }
  // Each waits for the answer to the one before: latency, not throughput. The reader is as cold as its bits.
  uint64_t Ask(std::span<const uint64_t> hashes) const {
    uint64_t maybe = 0, place = 0;
    for (const uint64_t hash : hashes) {
      place = FastRange64(Remix(hash + place), filters_.size());
      const bool answer = filters_[place]->MayContain(hash);
      maybe += answer;
      place += answer;
    }
    return maybe;
  }

 private:
  std::vector<std::unique_ptr<FilterReader>> filters_;
};

// Of every key, and of `probes` absent ones.
struct Truth {
  uint64_t false_negatives = 0, false_positives = 0, probes = 0;
  double rate() const { return static_cast<double>(false_positives) / static_cast<double>(probes); }
};
inline Truth MeasureTruth(const FilterReader& filter, uint64_t keys, uint64_t probes) {
  Truth truth{.probes = probes};
  std::vector<uint64_t> hashes(kBatch);
  const auto count = [&](uint64_t first, uint64_t numbers) {
    uint64_t maybe = 0;
    for (uint64_t start = 0; start < numbers; start += kBatch) {
      const size_t size = std::min<uint64_t>(kBatch, numbers - start);
      for (size_t i = 0; i < size; ++i) hashes[i] = Remix(first + start + i);
      maybe += AskInBatches(filter, {hashes.data(), size});
    }
    return maybe;
  };
  truth.false_negatives = keys - count(0, keys);
  truth.false_positives = count(uint64_t{1} << 62, probes);
  return truth;
}

// 10^8 keys take minutes and gigabytes: only when SILTSTONE_BENCH_HUGE is set.
inline bool WithHugeFilters() { return std::getenv("SILTSTONE_BENCH_HUGE") != nullptr; }

}  // namespace siltstone::bench
