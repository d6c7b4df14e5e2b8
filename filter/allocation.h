#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "siltstone/options.h"

// How a given amount of filter memory is best spread over the sorted runs of a database.
//
//   const FilterRun runs[] = {{9'000, FilterKind::kBloom}, {90'000, FilterKind::kBloom}, {900'000, FilterKind::kBloom}};
//   const std::vector<double> chances = AllocateChances(runs, 0.01);    // 0.013 %, 0.13 %, 1.3 %
//
// An absent key asks every run, so it costs the sum of the runs' chances in wasted reads, while the memory is the sum
// of n_i b(p_i), b the bits a key. A bit spent on a small run lowers the sum by as much as n bits spent on a run that
// is n times larger: at the optimum p_i / n_i is the same for all runs, as far as b is a multiple of log2(1/p).
// (N. Dayan, M. Athanassoulis, S. Idreos, "Monkey: Optimal Navigable Key-Value Store", SIGMOD 2017.) In closed form
//
//   p_i = p e^H s_i,   s_i the share of the keys that run i has, H = -(sum of s_i ln s_i) the entropy of the shares,
//
// so that the sum is p e^H, against p R of R runs with the same chance: R / e^H times less.
//
// Real filters take a little more than a multiple of log2(1/p). So that the memory is the same to the bit and not only
// in theory, the common factor of all p_i is solved for with the true bits a key of each kind.
//
// Thread safety: pure functions (FilterBitsPerKey remembers what it computed, without a lock).

namespace siltstone {

// One sorted run as the allocation sees it. A plain value.
struct FilterRun {
  uint64_t keys = 0;
  FilterKind kind = FilterKind::kBloom;  // not kAuto
};

// Bits a key of a large filter of this kind (a million keys or more) for a chance; 0 for a chance of 1.
// REQUIRES: 0 < chance <= 1, and the kind is not kAuto. Cost: some nanoseconds; the first time a chance of a new
// quarter power of two is met, the model of a cache-line Bloom, tenths of a millisecond for chances above 1e-4.
double FilterBitsPerKey(FilterKind kind, double chance);

// The chance of each run: proportional to its keys, at most 1 and at least kSmallestChance, such that all filters
// together take the memory that they would take with `chance` each. Runs without keys get `chance`.
// REQUIRES: 0 < chance <= 1. Cost: microseconds for ten runs.
std::vector<double> AllocateChances(std::span<const FilterRun> runs, double chance);

// R / e^H: by how much the allocation lowers the wasted reads of an absent key, in theory. 1 for no run.
double AllocationGain(std::span<const uint64_t> run_keys);

}  // namespace siltstone
