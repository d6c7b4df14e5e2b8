#include "engine/compaction/flush_job.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "engine/compaction/drop_rule.h"
#include "engine/compaction/table_output.h"
#include "engine/read/merging_iterator.h"

namespace siltstone {
namespace {

FilterOptions FilterOfFlush(const TableStore& store, const Version& base,
                            std::span<const std::shared_ptr<MemTable>> memtables,
                            InternalIterator& entries) {
  FilterJob job;
  for (const std::shared_ptr<MemTable>& memtable : memtables) {
    job.output_keys += memtable->entry_count();
  }
  entries.SeekToLast();
  if (!entries.Valid()) return {};
  const std::string largest(ExtractUserKey(entries.key()));
  entries.SeekToFirst();
  const std::string smallest(ExtractUserKey(entries.key()));
  job.smallest = smallest;
  job.largest = largest;
  return ChooseFilter(store.options().filters, base, job);
}

}  // namespace

absl::StatusOr<JobResult> RunFlush(const TableStore& store, const Version& base,
                                   std::span<const std::shared_ptr<MemTable>> memtables,
                                   const std::vector<SequenceNumber>& snapshots) {
  const KeyOrder order = store.options().order;
  JobResult result;
  std::vector<std::unique_ptr<InternalIterator>> children;
  SequenceNumber last_sequence = 0;
  for (const std::shared_ptr<MemTable>& memtable : memtables) {
    if (memtable->empty()) continue;
    children.push_back(memtable->NewIterator());
    last_sequence = std::max(last_sequence, memtable->largest_sequence());
  }
  if (children.empty()) return result;

  std::unique_ptr<InternalIterator> entries = NewMergingIterator(order, std::move(children));
  // Older tables may hold any key: no tombstone may go.
  DropRule rule(order, snapshots, [](std::string_view) { return false; });
  TableOutput output(store,
                     {.level = 0, .filter = FilterOfFlush(store, base, memtables, *entries)});
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (rule.ShouldDrop(entries->key())) {
      ++result.entries_dropped;
      continue;
    }
    SILTSTONE_RETURN_IF_ERROR(output.Add(entries->key(), entries->value()));
  }
  SILTSTONE_RETURN_IF_ERROR(entries->status());
  SILTSTONE_RETURN_IF_ERROR(output.Finish());
  for (const std::shared_ptr<Table>& table : output.tables()) {
    result.edit.added.push_back({0, table->meta});
  }
  result.edit.last_sequence = last_sequence;
  result.tables = output.tables();
  result.bytes_written = output.bytes_written();
  return result;
}

}  // namespace siltstone
