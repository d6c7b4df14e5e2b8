#include "engine/compaction/filter_choice.h"

#include <algorithm>

#include "engine/compaction/compaction_picker.h"
#include "filter/allocation.h"

namespace siltstone {
namespace {

// Level 0 fills up to its trigger and is emptied, over and over.
constexpr size_t kMeanLevel0Runs = PickerLimits().level0_trigger_tables / 2;

bool LiesAtTheBottom(const Version& version, const FilterJob& job) {
  if (job.output_level == 0) return false;
  for (int level = job.output_level + 1; level < kLevelCount; ++level) {
    if (!version.Overlapping(level, job.smallest, job.largest).empty()) return false;
  }
  return true;
}

FilterKind KindAt(FilterKind demanded, bool bottom) {
  if (demanded != FilterKind::kAuto) return demanded;
  return bottom && IsFilterKindBuilt(FilterKind::kRibbon) ? FilterKind::kRibbon
                                                          : FilterKind::kBloom;
}

// The first eight bytes of `key` from `start` on, as a fraction.
double Fraction(std::string_view key, size_t start) {
  double fraction = 0;
  for (size_t i = std::min(key.size(), start + 8); i > start; --i) {
    fraction = (fraction + static_cast<uint8_t>(key[i - 1])) / 256;
  }
  return fraction;
}

// Which part of a table's keys lies before `key`, which is in its range: by interpolation between the bytes behind what
// its ends have in common; half where bytes say nothing about the order.
double PartBefore(KeyOrder order, const TableMeta& table, std::string_view key) {
  const std::string_view smallest = table.smallest_user_key();
  const std::string_view largest = table.largest_user_key();
  const auto mismatch =
      std::mismatch(smallest.begin(), smallest.end(), largest.begin(), largest.end());
  const auto common = static_cast<size_t>(mismatch.first - smallest.begin());
  const double low = Fraction(smallest, common);
  const double width = Fraction(largest, common) - low;
  if (!order.bytewise() || width <= 0) return 0.5;
  return std::clamp((Fraction(key, common) - low) / width, 0.0, 1.0);
}

double KeysInRange(KeyOrder order, const Run& run, const FilterJob& job) {
  double keys = 0;
  for (size_t i = run.LowerBound(job.smallest); i < run.size(); ++i) {
    const TableMeta& table = run.tables()[i]->meta;
    if (order.CompareUserKeys(table.smallest_user_key(), job.largest) > 0) break;
    double part = 1;
    if (order.CompareUserKeys(table.largest_user_key(), job.largest) > 0) {
      part = PartBefore(order, table, job.largest);
    }
    if (order.CompareUserKeys(table.smallest_user_key(), job.smallest) < 0) {
      part -= PartBefore(order, table, job.smallest);
    }
    keys += std::max(part, 0.0) * static_cast<double>(table.distinct_keys);
  }
  return keys;
}

bool MeetsRange(const Version& version, const Run& run, const FilterJob& job) {
  const size_t first = run.LowerBound(job.smallest);
  return first < run.size() && version.order().CompareUserKeys(
                                   run.tables()[first]->meta.smallest_user_key(), job.largest) <= 0;
}

// Keys of the output's own run after the job. On level 0 the output is a run of its own.
double OutputRunKeys(const Version& version, const FilterJob& job) {
  double keys = static_cast<double>(job.output_keys);
  if (job.output_level == 0) return keys;
  for (const Run& run : version.level(job.output_level).runs) {
    keys += static_cast<double>(run.key_count());
  }
  for (const FilterJob::Input& input : job.inputs) {
    if (input.level == job.output_level) {
      keys -= static_cast<double>(input.table->meta.distinct_keys);
    }
  }
  return keys;
}

bool IsInput(const FilterJob& job, int level, const Run& run) {
  return std::any_of(job.inputs.begin(), job.inputs.end(), [&](const FilterJob::Input& input) {
    return input.level == level && input.table == run.tables().front().get();
  });
}

FilterRun MakeRun(double keys, FilterKind kind) {
  return {static_cast<uint64_t>(std::max(keys + 0.5, 1.0)), kind};
}

// The runs that an absent key of the job's range asks, the output first.
std::vector<FilterRun> RunsAround(FilterKind kind, const Version& version, const FilterJob& job) {
  std::vector<FilterRun> runs = {
      MakeRun(static_cast<double>(job.output_keys), KindAt(kind, LiesAtTheBottom(version, job)))};
  double here = static_cast<double>(job.output_keys);
  double everywhere = OutputRunKeys(version, job);
  for (int level = job.output_level + 1; level < kLevelCount; ++level) {
    for (const Run& run : version.level(level).runs) {
      everywhere += static_cast<double>(run.key_count());
      if (!MeetsRange(version, run, job)) continue;
      const double keys = KeysInRange(version.order(), run, job);
      here += keys;
      runs.push_back(MakeRun(keys, KindAt(kind, false)));
    }
  }
  if (runs.size() > 1) runs.back().kind = KindAt(kind, true);
  const double part = std::min(here / std::max(everywhere, 1.0), 1.0);
  for (int level = 0; level < std::max(job.output_level, 1); ++level) {
    size_t counted = 0;
    for (const Run& run : version.level(level).runs) {
      // A run of the output's own level is one of level 0: it is beside the output, unless it becomes it.
      if (level == job.output_level && IsInput(job, level, run)) continue;
      if (!MeetsRange(version, run, job) || counted == kMeanLevel0Runs) continue;
      ++counted;
      runs.push_back(MakeRun(part * static_cast<double>(run.key_count()), KindAt(kind, false)));
    }
  }
  return runs;
}

}  // namespace

FilterOptions ChooseFilter(const FilterDemand& demand, const Version& version,
                           const FilterJob& job) {
  FilterOptions options;
  options.kind = KindAt(demand.kind, LiesAtTheBottom(version, job));
  options.fp_chance = demand.fp_chance;
  if (demand.allocation == FilterAllocation::kByLevel && demand.fp_chance < 1) {
    const std::vector<FilterRun> runs = RunsAround(demand.kind, version, job);
    options.fp_chance = AllocateChances(runs, demand.fp_chance).front();
  }
  return options;
}

FilterOptions FilterWantedFor(const FilterDemand& demand, const Version& version, int level,
                              const Table& table) {
  return ChooseFilter(demand, version,
                      {.inputs = {{level, &table}},
                       .output_level = level,
                       .output_keys = table.meta.distinct_keys,
                       .smallest = table.meta.smallest_user_key(),
                       .largest = table.meta.largest_user_key()});
}

}  // namespace siltstone
