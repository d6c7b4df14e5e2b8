#include "engine/db_shared.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "base/epoch.h"
#include "base/to_absl.h"
#include "sstable/table_reader.h"

namespace siltstone {
namespace {

constexpr uint64_t kMaxTableSizeBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxLogAllocationBytes = uint64_t{64} << 20;
constexpr uint64_t kMinLogAllocationBytes = uint64_t{64} << 10;
constexpr size_t kMaxImmutableMemtables = 4;
constexpr uint64_t kBaseLevelWriteBuffers = 4;

}  // namespace

EngineLimits LimitsOf(const Options& options) {
  EngineLimits limits;
  // Three quarters of the budget may go to memtables while flushes are behind, the active one included.
  const size_t memtables = options.memory_budget_bytes / 4 * 3 / options.write_buffer_size_bytes;
  limits.max_immutable_memtables = std::clamp(memtables, size_t{2}, kMaxImmutableMemtables + 1) - 1;
  limits.target_table_size_bytes =
      std::min<uint64_t>(options.write_buffer_size_bytes, kMaxTableSizeBytes);
  limits.base_level_size_bytes = kBaseLevelWriteBuffers * options.write_buffer_size_bytes;
  // A memtable's worth of log, with room for what the records add.
  limits.log_allocation_bytes =
      std::clamp<uint64_t>(options.write_buffer_size_bytes + options.write_buffer_size_bytes / 8,
                           kMinLogAllocationBytes, kMaxLogAllocationBytes);
  return limits;
}

void DbShared::Fail(const absl::Status& cause) {
  if (!error.Set(cause)) return;
  Log(LogLevel::kError, absl::StrCat("writes are refused from now on: ", cause.message()));
  if (options.listener != nullptr) options.listener->OnBackgroundError(cause);
}

MemoryReport DbShared::ReportMemory() const {
  MemoryReport report;
  EpochGuard guard;
  const ReadView& view = views->current();
  report.memtable_bytes = view.active->memory_bytes();
  for (const auto& memtable : view.immutables) report.memtable_bytes += memtable->memory_bytes();
  report.block_cache_bytes = block_cache->usage_bytes();
  view.version->ForEachTable([&](int, const Table& table) {
    report.filter_bytes += table.reader->filter_memory_bytes();
    report.index_bytes += table.reader->index_memory_bytes();
    report.table_bytes += table.reader->other_memory_bytes();
  });
  report.total_bytes = report.memtable_bytes + report.block_cache_bytes + report.filter_bytes +
                       report.index_bytes + report.table_bytes;
  report.budget_bytes = options.memory_budget_bytes;
  report.over_budget_bytes =
      report.total_bytes > report.budget_bytes ? report.total_bytes - report.budget_bytes : 0;
  return report;
}

void DbShared::BalanceMemory() {
  const MemoryReport report = ReportMemory();
  const size_t budget = options.memory_budget_bytes;
  // The active memtable is counted as full, so that the cache need not shrink while it fills.
  const size_t others = report.memtable_bytes + options.write_buffer_size_bytes +
                        report.filter_bytes + report.index_bytes + report.table_bytes;
  const size_t least = budget / 10;
  const bool crowded = others + least > budget;
  block_cache->SetCapacity(crowded ? least : budget - others);
  if (crowded && !cache_is_crowded.exchange(true, std::memory_order_relaxed)) {
    Log(LogLevel::kWarning,
        absl::StrCat("filters and indexes exceed their share of the memory budget: memtables ",
                     report.memtable_bytes, ", filters ", report.filter_bytes, ", indexes ",
                     report.index_bytes, ", tables ", report.table_bytes, " bytes of ", budget,
                     "; the block cache keeps a tenth"));
  }
  if (!crowded) cache_is_crowded.store(false, std::memory_order_relaxed);
}

}  // namespace siltstone
