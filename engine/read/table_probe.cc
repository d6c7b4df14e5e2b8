#include "engine/read/table_probe.h"

#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace siltstone {
namespace {

// A value in a block: copied while that is cheap, otherwise the block is kept with one reference.
PinnedValue ValueInBlock(PointResult&& found) {
  if (found.value.size() <= PinnedValue::kCopyBytes) return PinnedValue::Copy(found.value);
  const Block* const block = std::move(found.block).Release();
  return PinnedValue::Pin(found.value, const_cast<Block*>(block),
                          [](void* pinned) { static_cast<const Block*>(pinned)->Unref(); });
}

ReadStep& AddStep(const TableCandidate& candidate, ReadStep::Filter filter, ReadReceipt* receipt) {
  ReadStep& step = receipt->steps.emplace_back();
  step.source = ReadStep::Source::kTable;
  step.name = candidate.table->meta.FileName();
  step.level = candidate.level;
  step.filter = filter;
  return step;
}

ReadStep::Outcome OutcomeOf(const absl::Status& status, PointResult::State state) {
  if (!status.ok()) return ReadStep::Outcome::kError;
  switch (state) {
    case PointResult::State::kFound:
      return ReadStep::Outcome::kValue;
    case PointResult::State::kDeleted:
      return ReadStep::Outcome::kTombstone;
    case PointResult::State::kAbsent:
      break;
  }
  return ReadStep::Outcome::kNotHere;
}

void CountOnLevel(const TableCandidate& candidate, EngineCounter counter,
                  const LookupOptions& options) {
  static_assert(kCountedLevels == kLevelCount);
  if (options.counters == nullptr) return;
  options.counters->Add(LevelFilterCounter(candidate.level, counter), 1);
}

// Whether a "maybe" was worth its read; an error leaves that open.
void RecordVerdict(const TableCandidate& candidate, bool key_present, const LookupOptions& options,
                   ReadCost* cost) {
  const TableReader& reader = *candidate.table->reader;
  if (key_present) {
    ++cost->filter_true_positives;
    reader.filter_counters().Add(kFilterTruePositive, 1);
    CountOnLevel(candidate, kFilterTruePositives, options);
  } else {
    ++cost->filter_false_positives;
    reader.filter_counters().Add(kFilterFalsePositive, 1);
    CountOnLevel(candidate, kFilterFalsePositives, options);
  }
}

}  // namespace

uint64_t KeyHash::For(const TableReader& reader, std::string_view key) {
  const uint64_t seed = reader.filter_hash_seed();
  if (!known_ || seed != seed_) {
    known_ = true;
    seed_ = seed;
    hash_ = HashKey(key, seed);
  }
  return hash_;
}

bool CandidateCursor::Next(TableCandidate* candidate) {
  for (; level_ < kLevelCount; ++level_, run_ = 0) {
    const auto& runs = version_.level(level_).runs;
    while (run_ < runs.size()) {
      const Table* const table = runs[run_++].Find(key_);
      if (table == nullptr) continue;
      const bool has_filter = table->reader->has_filter();
      *candidate = {table, level_, has_filter ? hash_.For(*table->reader, key_) : 0};
      return true;
    }
  }
  return false;
}

bool FilterSaysMaybe(const TableCandidate& candidate, const LookupOptions& options,
                     ReadCost* cost) {
  ++cost->tables_considered;
  const TableReader& reader = *candidate.table->reader;
  if (!reader.has_filter()) return true;
  ++cost->filters_checked;
  reader.filter_counters().Add(kFilterChecked, 1);
  CountOnLevel(candidate, kFiltersChecked, options);
  if (reader.MayContain(candidate.hash)) return true;
  ++cost->filter_negatives;
  reader.filter_counters().Add(kFilterNegative, 1);
  CountOnLevel(candidate, kFilterNegatives, options);
  if (options.receipt != nullptr) {
    AddStep(candidate, ReadStep::Filter::kNegative, options.receipt);
  }
  return false;
}

absl::Status ReadCandidate(const TableCandidate& candidate, std::string_view key,
                           const LookupOptions& options, ReadCost* cost, LookupResult* result) {
  const TableReader& reader = *candidate.table->reader;
  TableReadContext context;
  context.fill_cache = options.fill_cache;
  ReadStep* step = nullptr;
  if (options.receipt != nullptr) {
    step = &AddStep(candidate,
                    reader.has_filter() ? ReadStep::Filter::kMaybe : ReadStep::Filter::kNone,
                    options.receipt);
    context.block_offsets = &step->block_offsets;
  }
  PointResult found;
  absl::Status status = reader.Get(key, options.snapshot, context, &found);
  ++cost->index_searches;
  cost->data_blocks_from_cache += context.blocks_from_cache;
  cost->data_blocks_from_file += context.blocks_from_file;
  cost->bytes_from_file += context.bytes_from_file;
  if (step != nullptr) {
    step->blocks_from_cache = context.blocks_from_cache;
    step->blocks_from_file = context.blocks_from_file;
    step->outcome = OutcomeOf(status, found.state);
  }
  if (!status.ok()) return status;
  if (reader.has_filter()) {
    RecordVerdict(candidate, found.key_present, options, cost);
  }
  if (found.state == PointResult::State::kAbsent) return status;
  result->sequence = found.sequence;
  if (found.state == PointResult::State::kDeleted) {
    result->state = LookupResult::State::kDeleted;
  } else {
    result->state = LookupResult::State::kFound;
    result->value = ValueInBlock(std::move(found));
  }
  return status;
}

}  // namespace siltstone
