#include "tools/output_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/bytes_text.h"

namespace siltstone::tools {
namespace {

// Rows a table keeps back to measure its columns.
constexpr size_t kMeasuredRows = 500;

constexpr std::array<std::pair<std::string_view, OutputFormat>, 8> kFormats = {{
    {"auto", OutputFormat::kAuto},
    {"raw", OutputFormat::kRaw},
    {"table", OutputFormat::kTable},
    {"json", OutputFormat::kJson},
    {"jsonl", OutputFormat::kJsonLines},
    {"csv", OutputFormat::kCsv},
    {"tsv", OutputFormat::kTsv},
    {"hex", OutputFormat::kHex},
}};

std::string CsvField(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

// Characters, each taken as one place wide.
size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

std::string CutToWidth(const std::string& text, size_t width) {
  if (DisplayWidth(text) <= width) return text;
  std::string cut;
  size_t left = width > 3 ? width - 3 : 0;
  for (std::string_view rest = text; left > 0 && !rest.empty(); --left) {
    const size_t length = std::max<size_t>(1, Utf8CharacterLength(rest));
    cut += rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return cut + "...";
}

}  // namespace

std::optional<OutputFormat> ParseOutputFormat(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string OutputFormatNames() {
  std::string names;
  for (const auto& [name, format] : kFormats) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

OutputFormat Resolve(OutputFormat format, const Output& output, OutputFormat elsewhere) {
  if (format != OutputFormat::kAuto) return format;
  return output.is_terminal() ? OutputFormat::kTable : elsewhere;
}

RowWriter::RowWriter(Output& output, OutputFormat format, std::vector<Column> columns)
    : output_(output), format_(format), columns_(std::move(columns)) {
  std::vector<Cell> names;
  for (const Column& column : columns_) names.push_back(Cell::Text(column.name));
  if (format_ == OutputFormat::kCsv) AddCsv(names);
  if (format_ == OutputFormat::kTable) {
    held_rows_.emplace_back();
    for (const Cell& name : names) held_rows_.back().push_back(name.human());
  }
}

void RowWriter::Add(std::vector<Cell> row) {
  switch (format_) {
    case OutputFormat::kJson:
      output_.Write(row_count_ == 0 ? "[\n  " : ",\n  ");
      output_.Write(JsonText(ToObject(row), false));
      break;
    case OutputFormat::kJsonLines:
      output_.Write(JsonText(ToObject(row), false) + "\n");
      break;
    case OutputFormat::kCsv:
      AddCsv(row);
      break;
    case OutputFormat::kTable: {
      std::vector<std::string> texts;
      for (const Cell& cell : row) texts.push_back(cell.human());
      held_rows_.push_back(std::move(texts));
      if (!widths_.empty() || held_rows_.size() > kMeasuredRows) WriteHeldRows();
      break;
    }
    default:
      AddLine(row);
  }
  ++row_count_;
}

void RowWriter::Finish() {
  if (format_ == OutputFormat::kJson) output_.Write(row_count_ == 0 ? "[]\n" : "\n]\n");
  if (format_ == OutputFormat::kTable) WriteHeldRows();
}

void RowWriter::AddLine(const std::vector<Cell>& row) {
  std::string line;
  for (const Cell& cell : row) {
    if (&cell != &row.front()) line += '\t';
    if (format_ == OutputFormat::kRaw || !cell.is_bytes()) {
      line += cell.plain();
    } else {
      line += format_ == OutputFormat::kHex ? ToHex(cell.plain()) : EscapeField(cell.plain());
    }
  }
  output_.Write(line + '\n');
}

void RowWriter::AddCsv(const std::vector<Cell>& row) {
  std::string line;
  for (const Cell& cell : row) {
    if (&cell != &row.front()) line += ',';
    line += CsvField(cell.plain());
  }
  // A lone empty field would be an empty line, which readers skip.
  output_.Write(line.empty() ? "\"\"\n" : line + '\n');
}

Json RowWriter::ToObject(const std::vector<Cell>& row) const {
  Json object;
  for (size_t i = 0; i < row.size(); ++i) object[columns_[i].name] = row[i].json();
  return object;
}

void RowWriter::WriteHeldRows() {
  if (widths_.empty()) {
    widths_.resize(columns_.size());
    for (const std::vector<std::string>& row : held_rows_) {
      for (size_t i = 0; i < row.size(); ++i)
        widths_[i] = std::max(widths_[i], DisplayWidth(row[i]));
    }
  }
  for (const std::vector<std::string>& row : held_rows_) WriteTableRow(row);
  held_rows_.clear();
}

void RowWriter::WriteTableRow(const std::vector<std::string>& row) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) {
    const bool is_last = i + 1 == row.size();
    const size_t width = DisplayWidth(row[i]);
    const std::string padding(widths_[i] > width ? widths_[i] - width : 0, ' ');
    if (columns_[i].is_number) line += padding;
    line += row[i];
    if (!columns_[i].is_number && !is_last) line += padding;
    if (!is_last) line += "  ";
  }
  if (const size_t terminal_width = output_.width(); terminal_width > 0) {
    line = CutToWidth(line, terminal_width);
  }
  output_.Write(line + '\n');
}

void WriteFacts(Output& output, OutputFormat format, const Facts& facts) {
  if (format == OutputFormat::kJson || format == OutputFormat::kJsonLines) {
    Json object;
    for (const auto& [name, cell] : facts) object[name] = cell.json();
    output.Write(JsonText(object, format == OutputFormat::kJson) + "\n");
    return;
  }
  if (format != OutputFormat::kTable) {
    RowWriter rows(output, format, {{"name"}, {"value"}});
    for (const auto& [name, cell] : facts) rows.Add({Cell::Text(name), cell});
    rows.Finish();
    return;
  }
  size_t width = 0;
  for (const auto& [name, cell] : facts) width = std::max(width, DisplayWidth(name));
  for (const auto& [name, cell] : facts) {
    output.Write(name + std::string(width - DisplayWidth(name) + 2, ' ') + cell.human() + "\n");
  }
}

std::string JsonText(const Json& json, bool indented) {
  // All strings in it are UTF-8 by construction; a replacement is better than an exception.
  return json.dump(indented ? 2 : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace siltstone::tools
