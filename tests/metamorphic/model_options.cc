#include "tests/metamorphic/model_options.h"

#include <utility>

#include "tests/engine/test_database.h"

namespace siltstone {
namespace {

constexpr size_t kKiB = 1024;

const Comparator* Reverse() {
  static const ReverseComparator comparator;
  return &comparator;
}
const Comparator* LengthFirst() {
  static const LengthFirstComparator comparator;
  return &comparator;
}

Options Sizes(size_t write_buffer_bytes, size_t block_bytes, size_t budget_bytes) {
  Options options;
  options.write_buffer_size_bytes = write_buffer_bytes;
  options.block_size_bytes = block_bytes;
  options.memory_budget_bytes = budget_bytes;
  options.durability = Durability::kBuffered;
  return options;
}

std::vector<ModelOptionSet> InMemory() {
  std::vector<ModelOptionSet> sets(8);
  sets[0] = {.name = "memory-tiny", .options = Sizes(4 * kKiB, 64, 64 * kKiB), .share = 2};
  sets[0].options.compression = Compression::kNone;
  sets[1] = {.name = "memory-no-filter", .options = Sizes(8 * kKiB, 256, 128 * kKiB), .share = 2};
  sets[1].options.bloom_filter_fp_chance = 1;
  sets[1].key_count = 2500;
  sets[1].options.max_background_jobs = 1;
  sets[2] = {
      .name = "memory-coin-filter", .options = Sizes(16 * kKiB, 512, 256 * kKiB), .share = 2};
  sets[2].options.bloom_filter_fp_chance = 0.5;
  sets[2].options.filter_allocation = FilterAllocation::kByLevel;
  sets[2].key_count = 4000;
  sets[2].options.max_background_jobs = 4;
  sets[3] = {
      .name = "memory-standard-bloom", .options = Sizes(16 * kKiB, 1024, 1024 * kKiB), .share = 2};
  sets[3].options.filter_kind = FilterKind::kStandardBloom;
  sets[3].options.bloom_filter_fp_chance = 0.001;
  sets[3].options.durability = Durability::kSync;
  sets[4] = {.name = "memory-reverse", .options = Sizes(8 * kKiB, 128, 128 * kKiB), .share = 2};
  sets[4].options.comparator = Reverse();
  sets[4].options.filter_kind = FilterKind::kRibbon;
  sets[4].key_count = 2500;
  sets[4].options.max_background_jobs = 4;
  sets[5] = {.name = "memory-no-log", .options = Sizes(8 * kKiB, 256, 64 * kKiB), .share = 2};
  sets[5].options.durability = Durability::kNone;
  sets[6] = {.name = "memory-large-values", .options = Sizes(64 * kKiB, 4096, 4096 * kKiB)};
  sets[6].max_value_bytes = 12000;
  sets[6].key_count = 200;
  sets[7] = {.name = "memory-length-first", .options = Sizes(4 * kKiB, 64, 64 * kKiB), .share = 2};
  sets[7].options.comparator = LengthFirst();
  sets[7].options.max_background_jobs = 1;
  sets[7].key_count = 1500;
  return sets;
}

std::vector<ModelOptionSet> OnDisk() {
  std::vector<ModelOptionSet> sets(8);
  sets[0] = {.name = "disk-small", .options = Sizes(16 * kKiB, 256, 64 * kKiB), .share = 2};
  sets[1] = {.name = "disk-plain", .options = Sizes(64 * kKiB, 1024, 256 * kKiB), .share = 3};
  sets[1].options.compression = Compression::kNone;
  sets[1].options.filter_kind = FilterKind::kAuto;
  sets[1].options.filter_allocation = FilterAllocation::kByLevel;
  sets[1].key_count = 5000;
  sets[2] = {.name = "disk-one-job", .options = Sizes(32 * kKiB, 128, 1024 * kKiB), .share = 2};
  sets[2].options.max_background_jobs = 1;
  sets[2].options.bloom_filter_fp_chance = 0.5;
  sets[3] = {.name = "disk-four-jobs", .options = Sizes(16 * kKiB, 512, 8192 * kKiB), .share = 2};
  sets[3].options.max_background_jobs = 4;
  sets[3].key_count = 5000;
  sets[3].options.filter_kind = FilterKind::kStandardBloom;
  sets[4] = {.name = "disk-reverse", .options = Sizes(32 * kKiB, 256, 128 * kKiB), .share = 2};
  sets[4].options.comparator = Reverse();
  sets[4].options.bloom_filter_fp_chance = 0.001;
  sets[5] = {.name = "disk-no-log", .options = Sizes(16 * kKiB, 64, 256 * kKiB), .share = 2};
  sets[5].options.durability = Durability::kNone;
  sets[5].options.bloom_filter_fp_chance = 1;
  sets[5].key_count = 4000;
  sets[6] = {.name = "disk-large-values", .options = Sizes(64 * kKiB, 16384, 16384 * kKiB)};
  sets[6].max_value_bytes = 12000;
  sets[6].key_count = 200;
  sets[7] = {.name = "disk-sync", .options = Sizes(64 * kKiB, 4096, 512 * kKiB)};
  sets[7].options.durability = Durability::kSync;
  for (ModelOptionSet& set : sets) set.on_disk = true;
  return sets;
}

}  // namespace

std::vector<ModelOptionSet> ModelOptionSets() {
  std::vector<ModelOptionSet> sets = InMemory();
  for (ModelOptionSet& set : OnDisk()) sets.push_back(std::move(set));
  return sets;
}

}  // namespace siltstone
