#include "tools/verbs_read.h"

#include <stdio.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/bytes_text.h"
#include "tools/export_format.h"
#include "tools/key_range.h"
#include "tools/option_binding.h"
#include "tools/progress.h"

namespace siltstone::tools {
namespace {

// ---- get

void TellAbsent(const VerbContext& context, const std::string& key) {
  if (!context.says_notes) return;
  fprintf(stderr, "kvtool: no key %s in %s\n", Quoted(key).c_str(), context.session.path().c_str());
}

// The value alone. A newline is added where a person or another answer follows, not where bytes count.
void PrintValue(VerbContext& context, std::string_view value) {
  const bool is_hex = context.format == OutputFormat::kHex;
  context.output.Write(is_hex ? ToHex(value) : value);
  if (is_hex || ((context.output.is_terminal() || context.in_shell) && !value.ends_with('\n'))) {
    context.output.Write("\n");
  }
}

bool PrintsValueAlone(OutputFormat format) {
  return format == OutputFormat::kAuto || format == OutputFormat::kRaw ||
         format == OutputFormat::kHex;
}

Verdict GetOne(VerbContext& context, const std::string& key) {
  DB::GetResult value = context.session.db().Get(key);
  if (!value.ok()) return Verdict::Failed(value.status());
  if (!value->has_value()) {
    TellAbsent(context, key);
    return Verdict::No();
  }
  if (PrintsValueAlone(context.format)) {
    PrintValue(context, (**value).view());
  } else {
    const Facts facts = {{"key", Cell::Bytes(key)}, {"value", Cell::Bytes((**value).view())}};
    if (context.format == OutputFormat::kJson) {
      WriteFacts(context.output, context.format, facts);
    } else {
      RowWriter rows(context.output, context.format, {{"key"}, {"value"}});
      rows.Add({facts[0].second, facts[1].second});
      rows.Finish();
    }
  }
  return Verdict::Yes();
}

Verdict GetMany(VerbContext& context, const std::vector<std::string>& keys) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  std::vector<DB::GetResult> values(keys.size());
  context.session.db().MultiGet(views, values);
  RowWriter rows(context.output, Resolve(context.format, context.output, OutputFormat::kTsv),
                 {{"key"}, {"value"}});
  Verdict verdict = Verdict::Yes();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!values[i].ok()) {
      verdict = Verdict::Failed(values[i].status());
      break;
    }
    if (values[i]->has_value()) {
      rows.Add({Cell::Bytes(keys[i]), Cell::Bytes((**values[i]).view())});
    } else {
      TellAbsent(context, keys[i]);
      verdict = Verdict::No();
    }
  }
  rows.Finish();
  return verdict;
}

Verdict RunGet(VerbContext& context) {
  const std::vector<std::string>& keys = context.arguments.operands;
  return keys.size() == 1 ? GetOne(context, keys[0]) : GetMany(context, keys);
}

// ---- scan, count, export

void AddScanOptions(CLI::App& app, Arguments& arguments) {
  AddRangeOptions(app, arguments);
  app.add_flag("--reverse", arguments.reverse, "from the last key to the first");
  BindOption(app, "--limit", arguments.limit, ParseCount, "N", "a number", "at most N keys");
  app.add_flag("--keys-only", arguments.keys_only, "print no values");
}

Verdict RunScan(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  std::vector<Column> columns = {{"key"}};
  if (!arguments.keys_only) columns.push_back({"value"});
  RowWriter rows(context.output, Resolve(context.format, context.output, OutputFormat::kTsv),
                 std::move(columns));
  const auto print = [&](std::string_view key, std::string_view value) {
    std::vector<Cell> row = {Cell::Bytes(key)};
    if (!arguments.keys_only) row.push_back(Cell::Bytes(value));
    rows.Add(std::move(row));
    return context.output.ok();
  };
  const absl::Status status = VisitRange(context.session.db(), arguments, print);
  rows.Finish();
  return status.ok() ? Verdict::Yes() : Verdict::Failed(status);
}

Verdict RunCount(VerbContext& context) {
  Progress progress("counted");
  uint64_t count = 0;
  const auto add = [&](std::string_view, std::string_view) {
    ++count;
    progress.Advance();
    return true;
  };
  const absl::Status status = VisitRange(context.session.db(), context.arguments, add);
  if (!status.ok()) return Verdict::Failed(status);
  const OutputFormat format = context.format;
  if (format == OutputFormat::kJson || format == OutputFormat::kJsonLines) {
    WriteFacts(context.output, format, {{"count", Cell::Count(count)}});
  } else if (format == OutputFormat::kCsv) {
    RowWriter rows(context.output, format, {{"count", true}});
    rows.Add({Cell::Count(count)});
    rows.Finish();
  } else {
    context.output.Write(std::to_string(count) + "\n");
  }
  return Verdict::Yes();
}

Verdict RunExport(VerbContext& context) {
  if (context.output.is_terminal()) {
    return Verdict::Usage("an export is binary, and stdout is a terminal",
                          "send it to a file or a pipe: kvtool export > FILE");
  }
  Progress progress("exported");
  ExportWriter writer(context.output);
  const auto add = [&](std::string_view key, std::string_view value) {
    writer.Add(key, value);
    progress.Advance();
    return context.output.ok();
  };
  const absl::Status status = VisitRange(context.session.db(), context.arguments, add);
  // Without its end an export that was stopped is known to be cut.
  if (!status.ok()) return Verdict::Failed(status);
  writer.Finish();
  absl::Status flushed = context.output.Flush();
  if (flushed.ok()) return Verdict::Yes();
  Verdict verdict = Verdict::Failed(flushed);
  verdict.message = "the export is cut: " + verdict.message;
  return verdict;
}

}  // namespace

const Verb& GetVerb() {
  static constexpr Verb kVerb = {
      .name = "get",
      .operands = "KEY...",
      .summary = "print the value of a key, or key and value of several",
      .details =
          "One key: its value alone, byte for byte (with a newline behind it on a terminal).\n"
          "Several keys: a line each of key, tab, value. Exit code 1 when a key is absent.",
      .access = Access::kRead,
      .min_operands = 1,
      .max_operands = kAnyNumber,
      .keys = KeyOperands::kAll,
      .add_options = AddHexOption,
      .run = RunGet,
  };
  return kVerb;
}

const Verb& ScanVerb() {
  static constexpr Verb kVerb = {
      .name = "scan",
      .summary = "print keys and values in order",
      .access = Access::kRead,
      .add_options = AddScanOptions,
      .check = CheckRange,
      .run = RunScan,
  };
  return kVerb;
}

const Verb& CountVerb() {
  static constexpr Verb kVerb = {
      .name = "count",
      .summary = "count keys",
      .access = Access::kRead,
      .add_options = AddRangeOptions,
      .check = CheckRange,
      .run = RunCount,
  };
  return kVerb;
}

const Verb& ExportVerb() {
  static constexpr Verb kVerb = {
      .name = "export",
      .summary = "write keys and values to stdout in the lossless format",
      .details =
          "The output ends in a count and a checksum, which import insists on: a stream that was\n"
          "cut or changed is refused there.",
      .access = Access::kRead,
      .add_options = AddRangeOptions,
      .check = CheckRange,
      .run = RunExport,
  };
  return kVerb;
}

}  // namespace siltstone::tools
