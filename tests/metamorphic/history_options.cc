#include <algorithm>

#include "tests/metamorphic/history_run.h"

namespace siltstone {

std::vector<HistoryOptionSet> HistoryOptionSets() {
  constexpr size_t kWriteBuffers[] = {4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10};
  constexpr size_t kBlocks[] = {64, 128, 512, 1024, 4096, 16384, 300};
  constexpr double kChances[] = {0.01, 1, 0.5, 0.001};
  constexpr FilterKind kKinds[] = {FilterKind::kBloom, FilterKind::kStandardBloom,
                                   FilterKind::kRibbon, FilterKind::kAuto};
  constexpr Durability kDurabilities[] = {Durability::kSync, Durability::kBuffered,
                                          Durability::kNone};
  std::vector<HistoryOptionSet> sets;
  for (size_t i = 0; i < 24; ++i) {
    HistoryOptionSet set;
    set.name = "set " + std::to_string(i);
    Options& options = set.options;
    options.write_buffer_size_bytes = kWriteBuffers[i % 5];
    options.block_size_bytes = kBlocks[i % 7];
    options.memory_budget_bytes =
        std::max<size_t>(64 << 10, 2 * options.write_buffer_size_bytes << (i % 3));
    options.bloom_filter_fp_chance = kChances[i % 4];
    options.filter_kind = kKinds[(i / 4 + i) % 4];
    options.filter_allocation =
        i % 2 == 0 ? FilterAllocation::kUniform : FilterAllocation::kByLevel;
    options.compression = (i / 2) % 2 == 0 ? Compression::kLz4 : Compression::kNone;
    options.max_background_jobs = 1 + static_cast<int>(i % 4);
    options.durability = kDurabilities[i % 3];
    set.on_disk = i % 8 == 7;
    sets.push_back(set);
  }
  // As most people use it.
  sets.push_back({.name = "defaults", .options = {.write_buffer_size_bytes = 1 << 20}});
  return sets;
}

}  // namespace siltstone
