#include "engine/compaction/compaction_job.h"

#include <utility>

#include "base/status_macros.h"
#include "engine/compaction/drop_rule.h"
#include "engine/read/merging_iterator.h"
#include "engine/read/run_iterator.h"
#include "sstable/table_reader.h"

namespace siltstone {
namespace {

constexpr uint64_t kStopCheckInterval = 256;  // entries

// One source a level-0 table, one for the tables of a deeper level, which do not overlap.
std::unique_ptr<InternalIterator> MergeInputs(const CompactionInputs& inputs, KeyOrder order) {
  std::vector<std::unique_ptr<InternalIterator>> children;
  if (inputs.input_level == 0) {
    for (const auto& table : inputs.inputs) {
      children.push_back(table->reader->NewIterator(/*fill_cache=*/false, nullptr));
    }
  } else {
    children.push_back(NewRunIterator(order, inputs.inputs));
  }
  if (!inputs.overlaps.empty()) children.push_back(NewRunIterator(order, inputs.overlaps));
  return NewMergingIterator(order, std::move(children));
}

void RecordRemoval(const CompactionInputs& inputs, JobResult* result) {
  for (const auto& table : inputs.inputs) {
    result->edit.removed.push_back({inputs.input_level, table->meta.epoch, table->meta.number});
    result->bytes_read += table->meta.file_size_bytes;
  }
  for (const auto& table : inputs.overlaps) {
    result->edit.removed.push_back({inputs.output_level, table->meta.epoch, table->meta.number});
    result->bytes_read += table->meta.file_size_bytes;
  }
}

FilterOptions FilterOfOutput(const TableStore& store, const Version& base,
                             const CompactionInputs& inputs) {
  FilterJob job;
  job.output_level = inputs.output_level;
  job.smallest = inputs.smallest;
  job.largest = inputs.largest;
  const auto add = [&job](int level, const std::vector<std::shared_ptr<Table>>& tables) {
    for (const std::shared_ptr<Table>& table : tables) {
      job.inputs.push_back({level, table.get()});
      // A little too many, where inputs hold versions of one key.
      job.output_keys += table->meta.distinct_keys;
    }
  };
  add(inputs.input_level, inputs.inputs);
  add(inputs.output_level, inputs.overlaps);
  return ChooseFilter(store.options().filters, base, job);
}

}  // namespace

absl::StatusOr<JobResult> RunCompaction(const TableStore& store, const Version& base,
                                        const CompactionInputs& inputs,
                                        const std::vector<SequenceNumber>& snapshots,
                                        const std::atomic<bool>& stop) {
  const KeyOrder order = store.options().order;
  JobResult result;
  std::unique_ptr<InternalIterator> entries = MergeInputs(inputs, order);
  DropRule rule(order, snapshots, [&](std::string_view user_key) {
    return !base.HasKeyBelow(inputs.output_level, user_key);
  });
  TableOutput output(
      store, {.level = inputs.output_level,
              .filter = FilterOfOutput(store, base, inputs),
              .target_size_bytes = inputs.target_table_size_bytes,
              .max_grandparent_bytes = kMaxGrandparentTables * inputs.target_table_size_bytes,
              .grandparents = inputs.grandparents});
  uint64_t count = 0;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (++count % kStopCheckInterval == 0 && stop.load(std::memory_order_relaxed)) {
      return absl::CancelledError("compaction stopped: the database is being closed");
    }
    if (rule.ShouldDrop(entries->key())) {
      ++result.entries_dropped;
      continue;
    }
    SILTSTONE_RETURN_IF_ERROR(output.Add(entries->key(), entries->value()));
  }
  SILTSTONE_RETURN_IF_ERROR(entries->status());
  SILTSTONE_RETURN_IF_ERROR(output.Finish());
  RecordRemoval(inputs, &result);
  for (const std::shared_ptr<Table>& table : output.tables()) {
    result.edit.added.push_back({inputs.output_level, table->meta});
  }
  result.tables = output.tables();
  result.bytes_written = output.bytes_written();
  return result;
}

JobResult MoveDown(const CompactionInputs& inputs) {
  JobResult result;
  for (const std::shared_ptr<Table>& table : inputs.inputs) {
    result.edit.removed.push_back({inputs.input_level, table->meta.epoch, table->meta.number});
    result.edit.added.push_back({inputs.output_level, table->meta});
    result.tables.push_back(table);
  }
  return result;
}

}  // namespace siltstone
