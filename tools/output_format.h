#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cell.h"
#include "tools/output.h"

namespace siltstone::tools {

enum class OutputFormat { kAuto, kRaw, kTable, kJson, kJsonLines, kCsv, kTsv, kHex };

// The formats by the names that -o takes: "auto, raw, table, json, jsonl, csv, tsv, hex".
std::optional<OutputFormat> ParseOutputFormat(std::string_view name);
std::string OutputFormatNames();

// `format`, with kAuto made a table on a terminal and `elsewhere` off it.
OutputFormat Resolve(OutputFormat format, const Output& output, OutputFormat elsewhere);

struct Column {
  std::string name;
  bool is_number = false;  // set to the right in a table
};

// Writes rows of equal shape in one format.
//
//   RowWriter rows(output, format, {{"key"}, {"value"}});
//   rows.Add({Cell::Bytes(key), Cell::Bytes(value)});
//   rows.Finish();
//
// Format:
//   raw    cells as they are, a tab between, a newline behind each row; nothing is escaped
//   tsv    the same with cells that are bytes escaped (EscapeField); no header line
//   hex    the same with cells that are bytes in hex
//   csv    RFC 4180 with "\n"; a header line with the names of the columns
//   jsonl  one object a line
//   json   one array of objects
//   table  a header and aligned columns; the last column is cut to the width of a terminal
// kAuto is taken as tsv.
//
// Thread safety: single-threaded. Cost: a table keeps its first rows, to know how wide columns are.
class RowWriter {
 public:
  RowWriter(Output& output, OutputFormat format, std::vector<Column> columns);

  void Add(std::vector<Cell> row);
  void Finish();

 private:
  void AddLine(const std::vector<Cell>& row);
  void AddCsv(const std::vector<Cell>& row);
  Json ToObject(const std::vector<Cell>& row) const;
  void WriteHeldRows();
  void WriteTableRow(const std::vector<std::string>& row);

  Output& output_;
  const OutputFormat format_;
  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> held_rows_;  // of a table, before widths_ are known
  std::vector<size_t> widths_;
  size_t row_count_ = 0;
};

// One thing with named properties: a JSON object, or name and value by line.
using Facts = std::vector<std::pair<std::string, Cell>>;
void WriteFacts(Output& output, OutputFormat format, const Facts& facts);

// JSON text; indented over lines, or on one.
std::string JsonText(const Json& json, bool indented);

}  // namespace siltstone::tools
