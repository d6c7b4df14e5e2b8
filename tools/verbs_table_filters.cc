#include "tools/verbs_table_filters.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/absent_keys.h"
#include "tools/database_options.h"
#include "tools/filter_report.h"
#include "tools/option_binding.h"
#include "tools/recorded_options.h"

namespace siltstone::tools {
namespace {

void AddFiltersOptions(CLI::App& app, Arguments& arguments) {
  BindOption(app, "--measure", arguments.probes, ParseCount, "N", "a number",
             "first look up N absent keys, so that there are rates to measure");
  app.add_flag("--advise", arguments.advise,
               "tell what other chances would cost and save on this database");
}

Cell ShareOrNothing(std::optional<double> share) {
  return share ? Cell::Share(*share) : Cell::Nothing();
}

Cell NumberOrNothing(std::optional<double> number, int decimals) {
  return number ? Cell::Number(*number, decimals) : Cell::Nothing();
}

// Rows of equal shape, in any format.
struct Rows {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;

  Json ToJson() const {
    Json array = Json::array();
    for (const std::vector<Cell>& row : rows) {
      Json object = Json::object();
      for (size_t i = 0; i < row.size(); ++i) object[columns[i].name] = row[i].json();
      array.push_back(std::move(object));
    }
    return array;
  }
  void Write(Output& output, OutputFormat format) const {
    RowWriter writer(output, format, columns);
    for (const std::vector<Cell>& row : rows) writer.Add(row);
    writer.Finish();
  }
};

Rows TableRows(const Statistics& statistics) {
  Rows rows;
  rows.columns = {{"level"},
                  {"table"},
                  {"kind"},
                  {"keys", true},
                  {"bits_per_key", true},
                  {"configured", true},
                  {"predicted", true},
                  {"measured", true},
                  {"checks", true},
                  {"negatives", true},
                  {"true_positives", true},
                  {"false_positives", true},
                  {"memory_bytes", true},
                  {"wanted", true},
                  {"options"},
                  {"fault"}};
  for (const TableStatistics& table : statistics.tables) {
    rows.rows.push_back(
        {Cell::Count(static_cast<uint64_t>(table.level)), Cell::Text(table.file_name),
         Cell::Text(table.filter_kind), Cell::Count(table.distinct_keys),
         NumberOrNothing(BitsPerKey(table), 2), Cell::Share(table.configured_fp_chance),
         Cell::Share(table.predicted_fp_rate),
         ShareOrNothing(MeasuredRate(table.filter_false_positives, table.filter_negatives)),
         Cell::Count(table.filters_checked), Cell::Count(table.filter_negatives),
         Cell::Count(table.filter_true_positives), Cell::Count(table.filter_false_positives),
         Cell::Size(table.filter_bytes), Cell::Share(table.wanted_fp_chance),
         Cell::Text(table.filter_is_outdated ? "old" : "in force"),
         table.filter_fault.empty() ? Cell::Nothing() : Cell::Bytes(table.filter_fault)});
  }
  return rows;
}

Rows LevelRows(const Statistics& statistics) {
  Rows rows;
  rows.columns = {{"level"},
                  {"runs", true},
                  {"tables", true},
                  {"old_tables", true},
                  {"keys", true},
                  {"bits_per_key", true},
                  {"configured", true},
                  {"predicted", true},
                  {"measured", true},
                  {"checks", true},
                  {"negatives", true},
                  {"true_positives", true},
                  {"false_positives", true},
                  {"memory_bytes", true}};
  for (const LevelFilters& level : FiltersByLevel(statistics)) {
    const LevelStatistics& seen = statistics.levels[static_cast<size_t>(level.level)];
    const double runs = static_cast<double>(level.runs);
    rows.rows.push_back(
        {Cell::Count(static_cast<uint64_t>(level.level)), Cell::Count(level.runs),
         Cell::Count(level.tables), Cell::Count(level.outdated_tables), Cell::Count(level.keys),
         Cell::Number(
             8.0 * static_cast<double>(level.filter_bytes) / static_cast<double>(level.keys), 2),
         Cell::Share(level.configured / runs), Cell::Share(level.predicted / runs),
         ShareOrNothing(MeasuredRate(seen.filter_false_positives_since_open,
                                     seen.filter_negatives_since_open)),
         Cell::Count(seen.filters_checked_since_open),
         Cell::Count(seen.filter_negatives_since_open),
         Cell::Count(seen.filter_true_positives_since_open),
         Cell::Count(seen.filter_false_positives_since_open), Cell::Size(level.filter_bytes)});
  }
  return rows;
}

Rows AdviceRows(const Statistics& statistics, const FilterSettings& in_force) {
  Rows rows;
  rows.columns = {{"chance", true},
                  {"allocation"},
                  {"bits_per_key", true},
                  {"memory_bytes", true},
                  {"more_memory_bytes", true},
                  {"wasted_reads_of_an_absent_key", true},
                  {"wasted_of_seen", true},
                  {"saved_of_seen", true},
                  {"options"}};
  double memory = 0;
  for (const TableStatistics& table : statistics.tables) {
    memory += static_cast<double>(table.filter_bytes);
  }
  for (const FilterAdvice& advice : AdviseFilters(statistics, in_force)) {
    const bool by_level = advice.settings.allocation == FilterAllocation::kByLevel;
    rows.rows.push_back(
        {Cell::Share(advice.settings.chance), Cell::Text(by_level ? "by-level" : "uniform"),
         Cell::Number(advice.bits_per_key, 2),
         Cell::Size(static_cast<uint64_t>(advice.filter_bytes)),
         Cell::Number(advice.filter_bytes - memory, 0), Cell::Number(advice.wasted_reads, 6),
         NumberOrNothing(advice.wasted_of_seen, 0), NumberOrNothing(advice.saved_of_seen, 0),
         advice.in_force ? Cell::Text("in force") : Cell::Nothing()});
  }
  return rows;
}

Facts FilterTotals(const Statistics& statistics) {
  uint64_t runs = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  uint64_t outdated = 0;
  for (const LevelFilters& level : FiltersByLevel(statistics)) {
    runs += level.runs;
    keys += level.keys;
    bytes += level.filter_bytes;
    outdated += level.outdated_tables;
  }
  const ExpectedWaste waste = ExpectedWastedReads(statistics);
  return {{"tables", Cell::Count(statistics.tables.size())},
          {"tables_with_old_options", Cell::Count(outdated)},
          {"tables_without_their_filter", Cell::Count(statistics.filters_unusable)},
          {"runs", Cell::Count(runs)},
          {"keys", Cell::Count(keys)},
          {"memory_bytes", Cell::Size(bytes)},
          {"checks", Cell::Count(statistics.filters_checked)},
          {"negatives", Cell::Count(statistics.filter_negatives)},
          {"true_positives", Cell::Count(statistics.filter_true_positives)},
          {"false_positives", Cell::Count(statistics.filter_false_positives)},
          {"measured", ShareOrNothing(MeasuredRate(statistics.filter_false_positives,
                                                   statistics.filter_negatives))},
          {"wasted_reads_of_an_absent_key_configured", Cell::Number(waste.configured, 6)},
          {"wasted_reads_of_an_absent_key_predicted", Cell::Number(waste.predicted, 6)}};
}

void WriteJson(VerbContext& context, const Statistics& statistics,
               const std::optional<Rows>& advice) {
  Json total = Json::object();
  for (const auto& [name, cell] : FilterTotals(statistics)) total[name] = cell.json();
  Json report = {{"tables", TableRows(statistics).ToJson()},
                 {"levels", LevelRows(statistics).ToJson()},
                 {"total", std::move(total)}};
  if (advice) report["advice"] = advice->ToJson();
  context.output.Write(JsonText(report, true) + "\n");
}

void WriteTables(VerbContext& context, const Statistics& statistics,
                 const std::optional<Rows>& advice) {
  TableRows(statistics).Write(context.output, OutputFormat::kTable);
  context.output.Write("\n");
  LevelRows(statistics).Write(context.output, OutputFormat::kTable);
  context.output.Write("\n");
  WriteFacts(context.output, OutputFormat::kTable, FilterTotals(statistics));
  if (!advice) return;
  context.output.Write("\n");
  advice->Write(context.output, OutputFormat::kTable);
}

Verdict RunFilters(VerbContext& context) {
  DB& db = context.session.db();
  if (const absl::Status status = LookUpAbsentKeys(db, context.arguments.probes); !status.ok()) {
    return Verdict::Failed(status);
  }
  const Statistics statistics = db.GetStatistics();
  std::optional<Rows> advice;
  if (context.arguments.advise) {
    const absl::StatusOr<RecordedOptions> recorded = ReadRecordedOptions(context.session.path());
    if (!recorded.ok()) return Verdict::Failed(recorded.status());
    advice = AdviceRows(statistics, {recorded->filter_kind, recorded->bloom_filter_fp_chance,
                                     recorded->filter_allocation});
  }
  const OutputFormat format = Resolve(context.format, context.output, OutputFormat::kTable);
  if (format == OutputFormat::kJson) {
    WriteJson(context, statistics, advice);
  } else if (format == OutputFormat::kTable) {
    WriteTables(context, statistics, advice);
  } else {
    // One shape of row: that of the tables, or of the advice where it was asked for.
    (advice ? *advice : TableRows(statistics)).Write(context.output, format);
  }
  return Verdict::Yes();
}

}  // namespace

const Verb& FiltersVerb() {
  static constexpr Verb kVerb = {
      .name = "filters",
      .summary = "print what each table's filter promises and does",
      .details =
          "configured: what the filter was sized for; predicted: from the bits that are set;\n"
          "measured: false positives among the checks for absent keys since the database was\n"
          "opened. wanted: the chance by the options in force; a table written with others is\n"
          "old. Levels count also the reads on tables that are gone. The wasted reads of an\n"
          "absent key are the sum of the rates over the sorted runs.\n"
          "--advise: a line a chance and allocation, as if all tables were written with it;\n"
          "wasted_of_seen: what it would have wasted of the checks since the database was\n"
          "opened, saved_of_seen: how many fewer than in fact.",
      .access = Access::kRead,
      .add_options = AddFiltersOptions,
      .run = RunFilters,
  };
  return kVerb;
}

}  // namespace siltstone::tools
