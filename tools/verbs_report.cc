#include "tools/verbs_report.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "siltstone/file_system.h"

#include "tools/recorded_options.h"
#include "tools/report_form.h"

namespace siltstone::tools {
namespace {

std::vector<Facts> LevelFacts(const Statistics& statistics) {
  std::vector<Facts> levels;
  for (size_t i = 0; i < statistics.levels.size(); ++i) {
    const LevelStatistics& level = statistics.levels[i];
    if (level.tables == 0) continue;
    levels.push_back({{"level", Cell::Count(i)},
                      {"runs", Cell::Count(level.runs)},
                      {"tables", Cell::Count(level.tables)},
                      {"size_bytes", Cell::Size(level.size_bytes)},
                      {"entries", Cell::Count(level.entries)},
                      {"tombstones", Cell::Count(level.tombstones)},
                      {"filter_bytes", Cell::Size(level.filter_bytes)}});
  }
  return levels;
}

// ---- info

// Bytes of the tables, and of all files.
std::pair<uint64_t, uint64_t> SizesOnDisk(const std::string& path, const Statistics& statistics) {
  uint64_t tables = 0;
  for (const TableStatistics& table : statistics.tables) tables += table.size_bytes;
  uint64_t files = 0;
  const auto entries = PosixFileSystem()->ListDirectory(path);
  if (!entries.ok()) return {tables, tables};
  for (const DirectoryEntry& entry : *entries) files += entry.size_bytes;
  return {tables, files};
}

Verdict RunInfo(VerbContext& context) {
  DB& db = context.session.db();
  const Statistics statistics = db.GetStatistics();
  const absl::StatusOr<RecordedOptions> recorded = ReadRecordedOptions(context.session.path());
  if (!recorded.ok()) return Verdict::Failed(recorded.status());
  uint64_t entries = 0;
  for (const LevelStatistics& level : statistics.levels) entries += level.entries;
  const auto [table_bytes, file_bytes] = SizesOnDisk(context.session.path(), statistics);
  const Facts facts = {
      {"path", Cell::Bytes(context.session.path())},
      {"comparator", Cell::Bytes(recorded->comparator_name)},
      {"bloom_filter_fp_chance", Cell::Share(recorded->bloom_filter_fp_chance)},
      {"filter_kind", Cell::Text(std::string(FilterKindName(recorded->filter_kind)))},
      {"filter_allocation",
       Cell::Text(recorded->filter_allocation == FilterAllocation::kByLevel ? "by-level"
                                                                            : "uniform")},
      {"compression", Cell::Text(recorded->compression == Compression::kLz4 ? "lz4" : "none")},
      {"last_sequence", Cell::Count(statistics.last_sequence)},
      {"tables", Cell::Count(statistics.tables.size())},
      {"table_entries", Cell::Count(entries)},
      {"table_bytes", Cell::Size(table_bytes)},
      {"file_bytes", Cell::Size(file_bytes)},
      {"log_records_since_flush", Cell::Count(statistics.records_recovered)},
  };
  WriteFactsAndList(context, facts, {"levels", "level", LevelFacts(statistics)});
  return Verdict::Yes();
}

// ---- stats

// The engine's own list, "NAME NUMBER" by line.
Facts StatisticFacts(DB& db) {
  Facts facts;
  std::istringstream lines(db.GetProperty("siltstone.stats"));
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string text = line.substr(space + 1);
    const std::optional<uint64_t> number = ParseCount(text);
    facts.emplace_back(line.substr(0, space), number ? Cell::Count(*number) : Cell::Bytes(text));
  }
  const MemoryReport memory = db.GetMemoryReport();
  facts.emplace_back("memory_memtable_bytes", Cell::Size(memory.memtable_bytes));
  facts.emplace_back("memory_block_cache_bytes", Cell::Size(memory.block_cache_bytes));
  facts.emplace_back("memory_filter_bytes", Cell::Size(memory.filter_bytes));
  facts.emplace_back("memory_index_bytes", Cell::Size(memory.index_bytes));
  facts.emplace_back("memory_table_bytes", Cell::Size(memory.table_bytes));
  facts.emplace_back("memory_total_bytes", Cell::Size(memory.total_bytes));
  facts.emplace_back("memory_budget_bytes", Cell::Size(memory.budget_bytes));
  facts.emplace_back("memory_over_budget_bytes", Cell::Size(memory.over_budget_bytes));
  return facts;
}

Verdict RunStats(VerbContext& context) {
  DB& db = context.session.db();
  WriteFactsAndList(context, StatisticFacts(db),
                    {"levels", "level", LevelFacts(db.GetStatistics())});
  return Verdict::Yes();
}

}  // namespace

const Verb& InfoVerb() {
  static constexpr Verb kVerb = {
      .name = "info",
      .summary = "print path, recorded options, sizes and levels",
      .access = Access::kRead,
      .run = RunInfo,
  };
  return kVerb;
}

const Verb& StatsVerb() {
  static constexpr Verb kVerb = {
      .name = "stats",
      .summary = "print the engine's statistics and its levels",
      .details = "Counters start when the database is opened: in the shell they tell of its verbs.",
      .access = Access::kRead,
      .run = RunStats,
  };
  return kVerb;
}

}  // namespace siltstone::tools
