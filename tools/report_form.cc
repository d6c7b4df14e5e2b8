#include "tools/report_form.h"

#include <utility>

namespace siltstone::tools {
namespace {

bool IsJson(OutputFormat format) {
  return format == OutputFormat::kJson || format == OutputFormat::kJsonLines;
}

Json FactsToJson(const Facts& facts) {
  Json object = Json::object();
  for (const auto& [name, cell] : facts) object[name] = cell.json();
  return object;
}

}  // namespace

OutputFormat ReportFormat(const VerbContext& context) {
  return Resolve(context.format, context.output, OutputFormat::kTable);
}

void WriteFactsAndList(VerbContext& context, const Facts& facts, const FactList& list) {
  const OutputFormat format = ReportFormat(context);
  if (IsJson(format)) {
    Json object = FactsToJson(facts);
    object[list.name] = Json::array();
    for (const Facts& row : list.rows) object[list.name].push_back(FactsToJson(row));
    context.output.Write(JsonText(object, format == OutputFormat::kJson) + "\n");
    return;
  }
  if (format != OutputFormat::kTable) {
    Facts all = facts;
    for (const Facts& row : list.rows) {
      const std::string prefix = list.one_name + "_" + row[0].second.plain() + "_";
      for (size_t i = 1; i < row.size(); ++i) {
        all.emplace_back(prefix + row[i].first, row[i].second);
      }
    }
    WriteFacts(context.output, format, all);
    return;
  }
  WriteFacts(context.output, format, facts);
  if (list.rows.empty()) return;
  context.output.Write("\n");
  std::vector<Column> columns;
  for (const auto& [name, cell] : list.rows[0]) columns.push_back({name, true});
  RowWriter rows(context.output, format, std::move(columns));
  for (const Facts& facts_of_row : list.rows) {
    std::vector<Cell> row;
    for (const auto& [name, cell] : facts_of_row) row.push_back(cell);
    rows.Add(std::move(row));
  }
  rows.Finish();
}

}  // namespace siltstone::tools
