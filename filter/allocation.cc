#include "filter/allocation.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "filter/bloom_math.h"
#include "filter/ribbon_math.h"

namespace siltstone {
namespace {

// Keys at which a filter's own rounding no longer shows in its bits a key.
constexpr uint64_t kManyKeys = uint64_t{1} << 20;

// Bits a key of cache-line Blooms are computed at p = 2^(-i/4), i = 0 .. 160, and interpolated between: they are nearly
// linear in log2(1/p).
constexpr double kStepsPerBit = 4;
constexpr size_t kSteps = 161;

double CacheLineBitsAtStep(size_t step) {
  static std::array<std::atomic<double>, kSteps> known{};
  double bits = known[step].load(std::memory_order_relaxed);
  if (bits == 0) {
    const double chance = std::exp2(-static_cast<double>(step) / kStepsPerBit);
    const CacheLineBloomSize size = SizeCacheLineBloom(kManyKeys, chance);
    bits = static_cast<double>(size.lines * kLineBits) / static_cast<double>(kManyKeys);
    known[step].store(bits, std::memory_order_relaxed);
  }
  return bits;
}

double RibbonBitsAtStep(size_t step) {
  return RibbonBitsPerKey(kManyKeys, std::exp2(-static_cast<double>(step) / kStepsPerBit));
}

// On the line between the two steps next to `chance`.
double Interpolated(double (*bits_at_step)(size_t), double chance) {
  const double place = LeastBitsPerKey(chance) * kStepsPerBit;
  const size_t step = std::min(static_cast<size_t>(place), kSteps - 2);
  const double low = bits_at_step(step);
  return low + (place - static_cast<double>(step)) * (bits_at_step(step + 1) - low);
}

double CacheLineBitsPerKey(double chance) {
  // One probe is best then, and sees no lines: p = 1 - e^(-n/m).
  if (chance >= 0.5) return -1 / std::log1p(-chance);
  return Interpolated(CacheLineBitsAtStep, chance);
}

// A ribbon's blocks come whole, so that its exact size has steps; halving for the best spread needs a line.
double SmoothRibbonBitsPerKey(double chance) {
  // It keeps the share 2 (1 - p) of the keys then, each in one column.
  if (chance >= 0.5) return 2 * (1 - chance) * RibbonBitsPerKey(kManyKeys, 0.5);
  return Interpolated(RibbonBitsAtStep, chance);
}

// Of every run for p_i = min(1, factor * n_i).
double TotalBits(std::span<const FilterRun> runs, double factor) {
  double bits = 0;
  for (const FilterRun& run : runs) {
    const double keys = static_cast<double>(run.keys);
    bits += keys * FilterBitsPerKey(run.kind, std::clamp(factor * keys, kSmallestChance, 1.0));
  }
  return bits;
}

}  // namespace

double FilterBitsPerKey(FilterKind kind, double chance) {
  if (chance >= 1) return 0;
  switch (kind) {
    case FilterKind::kStandardBloom:
      return LeastBitsPerKey(chance) / std::numbers::ln2;
    case FilterKind::kRibbon:
      return SmoothRibbonBitsPerKey(std::max(chance, kSmallestChance));
    case FilterKind::kBloom:
    case FilterKind::kAuto:
      break;
  }
  return CacheLineBitsPerKey(std::max(chance, kSmallestChance));
}

std::vector<double> AllocateChances(std::span<const FilterRun> runs, double chance) {
  SILTSTONE_DCHECK(chance > 0 && chance <= 1);
  std::vector<FilterRun> filled(runs.begin(), runs.end());
  std::erase_if(filled, [](const FilterRun& run) { return run.keys == 0; });
  std::vector<double> chances(runs.size(), chance);
  if (filled.empty() || chance >= 1) return chances;

  double memory = 0;
  double most_keys = 0;
  double fewest_keys = static_cast<double>(filled.front().keys);
  for (const FilterRun& run : filled) {
    const double keys = static_cast<double>(run.keys);
    memory += keys * FilterBitsPerKey(run.kind, chance);
    most_keys = std::max(most_keys, keys);
    fewest_keys = std::min(fewest_keys, keys);
  }
  // With the factor `low` no run has a larger chance than `chance`, with `high` none a smaller one.
  double low = std::log(chance / most_keys);
  double high = std::log(chance / fewest_keys);
  constexpr int kHalvings = 50;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (TotalBits(filled, std::exp(middle)) > memory ? low : high) = middle;
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].keys == 0) continue;
    const double keys = static_cast<double>(runs[i].keys);
    chances[i] = std::clamp(std::exp(high) * keys, kSmallestChance, 1.0);
  }
  return chances;
}

double AllocationGain(std::span<const uint64_t> run_keys) {
  double total = 0;
  double runs = 0;
  for (const uint64_t keys : run_keys) {
    total += static_cast<double>(keys);
    if (keys != 0) ++runs;
  }
  double entropy = 0;
  for (const uint64_t keys : run_keys) {
    if (keys == 0) continue;
    const double share = static_cast<double>(keys) / total;
    entropy -= share * std::log(share);
  }
  return runs == 0 ? 1 : runs / std::exp(entropy);
}

}  // namespace siltstone
