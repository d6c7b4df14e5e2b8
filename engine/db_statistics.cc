#include "engine/db_statistics.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/epoch.h"
#include "base/to_absl.h"
#include "engine/manifest/file_names.h"
#include "sstable/table_reader.h"

namespace siltstone {
namespace {

// Every scalar of Statistics by its name, for the properties "siltstone.NAME" and the text.
struct Scalar {
  const char* name;
  uint64_t Statistics::*member;
};

constexpr Scalar kScalars[] = {
    {"gets", &Statistics::gets},
    {"gets_found", &Statistics::gets_found},
    {"gets_from_memtable", &Statistics::gets_from_memtable},
    {"iterators_created", &Statistics::iterators_created},
    {"iterator_seeks", &Statistics::iterator_seeks},
    {"iterator_steps", &Statistics::iterator_steps},
    {"writes", &Statistics::writes},
    {"entries_written", &Statistics::entries_written},
    {"user_bytes_written", &Statistics::user_bytes_written},
    {"write_groups", &Statistics::write_groups},
    {"wal_syncs", &Statistics::wal_syncs},
    {"wal_bytes", &Statistics::wal_bytes},
    {"write_stall_micros", &Statistics::write_stall_micros},
    {"flushes", &Statistics::flushes},
    {"compactions", &Statistics::compactions},
    {"trivial_moves", &Statistics::trivial_moves},
    {"flush_bytes_written", &Statistics::flush_bytes_written},
    {"compaction_bytes_read", &Statistics::compaction_bytes_read},
    {"compaction_bytes_written", &Statistics::compaction_bytes_written},
    {"entries_dropped", &Statistics::entries_dropped},
    {"filters_checked", &Statistics::filters_checked},
    {"filter_negatives", &Statistics::filter_negatives},
    {"filter_true_positives", &Statistics::filter_true_positives},
    {"filter_false_positives", &Statistics::filter_false_positives},
    {"filters_unusable", &Statistics::filters_unusable},
    {"index_searches", &Statistics::index_searches},
    {"block_cache_hits", &Statistics::block_cache_hits},
    {"block_cache_misses", &Statistics::block_cache_misses},
    {"blocks_read", &Statistics::blocks_read},
    {"bytes_read", &Statistics::bytes_read},
    {"torn_bytes_discarded", &Statistics::torn_bytes_discarded},
    {"records_recovered", &Statistics::records_recovered},
    {"last_sequence", &Statistics::last_sequence},
    {"snapshots", &Statistics::snapshots},
    {"immutable_memtables", &Statistics::immutable_memtables},
};

// Which counter stands behind which member; the others of kScalars are no counters.
struct Counted {
  EngineCounter counter;
  uint64_t Statistics::*member;
};

constexpr Counted kCounted[] = {
    {kGets, &Statistics::gets},
    {kGetsFound, &Statistics::gets_found},
    {kGetsFromMemtable, &Statistics::gets_from_memtable},
    {kIteratorsCreated, &Statistics::iterators_created},
    {kIteratorSeeks, &Statistics::iterator_seeks},
    {kIteratorSteps, &Statistics::iterator_steps},
    {kWrites, &Statistics::writes},
    {kEntriesWritten, &Statistics::entries_written},
    {kUserBytesWritten, &Statistics::user_bytes_written},
    {kWriteGroups, &Statistics::write_groups},
    {kWalSyncs, &Statistics::wal_syncs},
    {kWalBytes, &Statistics::wal_bytes},
    {kWriteStallMicros, &Statistics::write_stall_micros},
    {kFlushes, &Statistics::flushes},
    {kCompactions, &Statistics::compactions},
    {kTrivialMoves, &Statistics::trivial_moves},
    {kFlushBytesWritten, &Statistics::flush_bytes_written},
    {kCompactionBytesRead, &Statistics::compaction_bytes_read},
    {kCompactionBytesWritten, &Statistics::compaction_bytes_written},
    {kEntriesDropped, &Statistics::entries_dropped},
    {kFiltersChecked, &Statistics::filters_checked},
    {kFilterNegatives, &Statistics::filter_negatives},
    {kFilterTruePositives, &Statistics::filter_true_positives},
    {kFilterFalsePositives, &Statistics::filter_false_positives},
    {kFiltersUnusable, &Statistics::filters_unusable},
    {kIndexSearches, &Statistics::index_searches},
    {kBlockCacheHits, &Statistics::block_cache_hits},
    {kBlockCacheMisses, &Statistics::block_cache_misses},
    {kBlocksRead, &Statistics::blocks_read},
    {kBytesRead, &Statistics::bytes_read},
};

// Whether the table's filter is not the one that it would be written with now.
bool IsOutdated(const TableProperties& written, const FilterOptions& wanted,
                FilterAllocation allocation) {
  if (wanted.fp_chance >= 1 || written.filter_kind.empty()) {
    return (wanted.fp_chance >= 1) != written.filter_kind.empty();
  }
  if (written.filter_kind != FilterKindName(wanted.kind)) return true;
  const double ratio = written.filter_fp_chance / wanted.fp_chance;
  if (allocation == FilterAllocation::kUniform) return ratio != 1;
  constexpr double kDrift = 2;
  return ratio > kDrift || ratio * kDrift < 1;
}

TableStatistics DescribeTable(const DbShared& shared, const Version& version, const Table& table,
                              int level) {
  const TableMeta& meta = table.meta;
  const TableReader& reader = *table.reader;
  TableStatistics out;
  out.file_name = meta.FileName();
  out.level = level;
  out.size_bytes = meta.file_size_bytes;
  out.entries = meta.entries;
  out.distinct_keys = meta.distinct_keys;
  out.tombstones = meta.tombstones;
  out.smallest_key = std::string(meta.smallest_user_key());
  out.largest_key = std::string(meta.largest_user_key());
  out.smallest_sequence = meta.smallest_sequence;
  out.largest_sequence = meta.largest_sequence;
  out.compression = reader.properties().compression == Compression::kLz4 ? "lz4" : "none";
  out.filter_kind = "none";
  if (const FilterReader* filter = reader.filter(); filter != nullptr) {
    out.filter_kind = std::string(filter->kind_name());
    out.configured_fp_chance = filter->configured_fp_chance();
    out.predicted_fp_rate = filter->predicted_fp_rate();
  }
  const FilterDemand& demand = shared.table_store->options().filters;
  const FilterOptions wanted = FilterWantedFor(demand, version, level, table);
  out.wanted_fp_chance = wanted.fp_chance;
  out.filter_is_outdated = IsOutdated(reader.properties(), wanted, demand.allocation);
  if (!reader.filter_fault().ok()) out.filter_fault = std::string(reader.filter_fault().message());
  out.filter_bytes = reader.filter_memory_bytes();
  out.index_bytes = reader.index_memory_bytes();
  out.filters_checked = reader.filter_counters().Sum(kFilterChecked);
  out.filter_negatives = reader.filter_counters().Sum(kFilterNegative);
  out.filter_true_positives = reader.filter_counters().Sum(kFilterTruePositive);
  out.filter_false_positives = reader.filter_counters().Sum(kFilterFalsePositive);
  return out;
}

void AddToLevel(const TableStatistics& table, LevelStatistics* level) {
  ++level->tables;
  level->size_bytes += table.size_bytes;
  level->entries += table.entries;
  level->tombstones += table.tombstones;
  level->filter_bytes += table.filter_bytes;
  level->filters_checked += table.filters_checked;
  level->filter_negatives += table.filter_negatives;
  level->filter_true_positives += table.filter_true_positives;
  level->filter_false_positives += table.filter_false_positives;
}

std::string StatsText(const Statistics& statistics) {
  std::string out;
  for (const Scalar& scalar : kScalars) {
    absl::StrAppend(&out, scalar.name, " ", statistics.*scalar.member, "\n");
  }
  return out;
}

std::string LevelsText(const Statistics& statistics) {
  std::string out;
  for (size_t i = 0; i < statistics.levels.size(); ++i) {
    const LevelStatistics& level = statistics.levels[i];
    absl::StrAppend(&out, "level ", i, ": runs ", level.runs, ", tables ", level.tables, ", bytes ",
                    level.size_bytes, ", entries ", level.entries, ", tombstones ",
                    level.tombstones, ", filter bytes ", level.filter_bytes, "\n");
  }
  return out;
}

std::string TablesText(const Statistics& statistics) {
  std::string out;
  for (const TableStatistics& table : statistics.tables) {
    absl::StrAppend(&out, table.file_name, ": level ", table.level, ", bytes ", table.size_bytes,
                    ", entries ", table.entries, ", keys ", table.distinct_keys, ", tombstones ",
                    table.tombstones, ", from ", QuoteKey(table.smallest_key), " to ",
                    QuoteKey(table.largest_key), ", filter ", table.filter_kind, " ",
                    table.filter_bytes, " bytes\n");
  }
  return out;
}

std::string MemoryText(const MemoryReport& report) {
  return absl::StrCat("memtables ", report.memtable_bytes, "\nblock cache ",
                      report.block_cache_bytes, "\nfilters ", report.filter_bytes, "\nindexes ",
                      report.index_bytes, "\ntables ", report.table_bytes, "\ntotal ",
                      report.total_bytes, "\nbudget ", report.budget_bytes, "\nover budget ",
                      report.over_budget_bytes, "\n");
}

std::string DurabilityName(Durability durability) {
  switch (durability) {
    case Durability::kSync:
      return "sync";
    case Durability::kBuffered:
      return "buffered";
    case Durability::kNone:
      return "none";
  }
  return "unknown";
}

std::string OptionsText(const DbShared& shared) {
  const Options& options = shared.options;
  return absl::StrCat(
      "comparator ", ToAbsl(options.comparator->name()), "\nmemory_budget_bytes ",
      options.memory_budget_bytes, "\nwrite_buffer_size_bytes ", options.write_buffer_size_bytes,
      "\nblock_size_bytes ", options.block_size_bytes, "\ncompression ",
      options.compression == Compression::kLz4 ? "lz4" : "none", "\nbloom_filter_fp_chance ",
      options.bloom_filter_fp_chance, "\nfilter_kind ", ToAbsl(FilterKindName(options.filter_kind)),
      "\nfilter_allocation ",
      options.filter_allocation == FilterAllocation::kByLevel ? "by-level" : "uniform",
      "\ncompaction_style leveled\nmax_background_jobs ", options.max_background_jobs,
      "\ndurability ", DurabilityName(options.durability), "\n");
}

std::string LossesText(const DbShared& shared) {
  std::string out;
  for (const std::string& loss : shared.salvage_losses) absl::StrAppend(&out, loss, "\n");
  return out;
}

}  // namespace

Statistics CollectStatistics(const DbShared& shared) {
  Statistics statistics;
  for (const Counted& counted : kCounted) {
    statistics.*counted.member = shared.counters.Sum(counted.counter);
  }
  statistics.torn_bytes_discarded = shared.torn_bytes_discarded;
  statistics.records_recovered = shared.records_recovered;
  statistics.last_sequence = shared.visible_sequence.load(std::memory_order_acquire);
  statistics.snapshots = shared.snapshots->count();
  statistics.levels.resize(kLevelCount);
  EpochGuard guard;
  const ReadView& view = shared.views->current();
  statistics.immutable_memtables = view.immutables.size();
  for (int level = 0; level < kLevelCount; ++level) {
    LevelStatistics& figures = statistics.levels[level];
    const auto counted = [&](EngineCounter counter) {
      return shared.counters.Sum(LevelFilterCounter(level, counter));
    };
    figures.runs = view.version->level(level).runs.size();
    figures.filters_checked_since_open = counted(kFiltersChecked);
    figures.filter_negatives_since_open = counted(kFilterNegatives);
    figures.filter_true_positives_since_open = counted(kFilterTruePositives);
    figures.filter_false_positives_since_open = counted(kFilterFalsePositives);
  }
  view.version->ForEachTable([&](int level, const Table& table) {
    statistics.tables.push_back(DescribeTable(shared, *view.version, table, level));
    AddToLevel(statistics.tables.back(), &statistics.levels[level]);
  });
  return statistics;
}

std::string PropertyText(const DbShared& shared, std::string_view name) {
  constexpr std::string_view kPrefix = "siltstone.";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  if (name == "memory") return MemoryText(shared.ReportMemory());
  if (name == "options") return OptionsText(shared);
  if (name == "salvage") return LossesText(shared);
  if (name == "background-error") return std::string(shared.error.cause().message());
  const Statistics statistics = CollectStatistics(shared);
  if (name == "stats") return StatsText(statistics);
  if (name == "levels") return LevelsText(statistics);
  if (name == "tables") return TablesText(statistics);
  for (const Scalar& scalar : kScalars) {
    if (name == scalar.name) return absl::StrCat(statistics.*scalar.member);
  }
  return {};
}

}  // namespace siltstone
