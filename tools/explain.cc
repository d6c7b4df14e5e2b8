#include "tools/explain.h"

#include <vector>

#include "tools/bytes_text.h"
#include "tools/key_range.h"

namespace siltstone::tools {
namespace {

std::string Plural(uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string SourceName(ReadStep::Source source) {
  switch (source) {
    case ReadStep::Source::kMemtable:
      return "memtable";
    case ReadStep::Source::kImmutableMemtable:
      return "immutable memtable";
    case ReadStep::Source::kTable:
      return "table";
  }
  return "unknown";
}

std::string FilterAnswer(ReadStep::Filter filter) {
  switch (filter) {
    case ReadStep::Filter::kNone:
      return "none";
    case ReadStep::Filter::kNegative:
      return "no";
    case ReadStep::Filter::kMaybe:
      return "maybe";
  }
  return "unknown";
}

std::string OutcomeName(ReadStep::Outcome outcome) {
  switch (outcome) {
    case ReadStep::Outcome::kNotHere:
      return "not here";
    case ReadStep::Outcome::kValue:
      return "value";
    case ReadStep::Outcome::kTombstone:
      return "tombstone";
    case ReadStep::Outcome::kError:
      return "error";
  }
  return "unknown";
}

std::string BlocksInWords(const ReadStep& step) {
  std::string text;
  if (step.blocks_from_cache > 0)
    text += Plural(step.blocks_from_cache, "block") + " from the cache";
  if (step.blocks_from_file > 0) {
    if (!text.empty()) text += " and ";
    text += Plural(step.blocks_from_file, "block") + " from the file";
  }
  if (text.empty()) return "no data block read";
  for (size_t i = 0; i < step.block_offsets.size(); ++i) {
    text += (i == 0 ? " at offset " : ", ") + std::to_string(step.block_offsets[i]);
  }
  return text;
}

std::string OutcomeInWords(const ReadStep& step) {
  switch (step.outcome) {
    case ReadStep::Outcome::kNotHere:
      return step.filter == ReadStep::Filter::kMaybe ? "not here: a false positive" : "not here";
    case ReadStep::Outcome::kValue:
      return "the value is here";
    case ReadStep::Outcome::kTombstone:
      return "a tombstone is here: the key was deleted";
    case ReadStep::Outcome::kError:
      return "the read came upon an error";
  }
  return "unknown";
}

std::string StepInWords(const ReadStep& step) {
  if (step.source != ReadStep::Source::kTable) {
    const std::string kind = step.source == ReadStep::Source::kMemtable ? "" : " (immutable)";
    return step.name + kind + ": " + OutcomeInWords(step);
  }
  const std::string place = "level " + std::to_string(step.level) + ", " + step.name + ": ";
  switch (step.filter) {
    case ReadStep::Filter::kNegative:
      return place + "the filter says no; not read";
    case ReadStep::Filter::kMaybe:
      return place + "the filter says maybe; " + BlocksInWords(step) + "; " + OutcomeInWords(step);
    case ReadStep::Filter::kNone:
      break;
  }
  return place + "no filter to ask; " + BlocksInWords(step) + "; " + OutcomeInWords(step);
}

Json StepToJson(const ReadStep& step) {
  return {{"source", SourceName(step.source)},
          {"name", step.name},
          {"level", step.level < 0 ? Json(nullptr) : Json(step.level)},
          {"filter", FilterAnswer(step.filter)},
          {"blocks_from_cache", step.blocks_from_cache},
          {"blocks_from_file", step.blocks_from_file},
          {"block_offsets", step.block_offsets},
          {"outcome", OutcomeName(step.outcome)}};
}

void WriteSteps(VerbContext& context, const ReadReceipt& receipt) {
  RowWriter rows(context.output, context.format,
                 {{"source"},
                  {"name"},
                  {"level"},
                  {"filter"},
                  {"blocks_from_cache", true},
                  {"blocks_from_file", true},
                  {"outcome"}});
  for (const ReadStep& step : receipt.steps) {
    rows.Add({Cell::Text(SourceName(step.source)), Cell::Text(step.name),
              step.level < 0 ? Cell::Nothing() : Cell::Count(static_cast<uint64_t>(step.level)),
              Cell::Text(FilterAnswer(step.filter)), Cell::Count(step.blocks_from_cache),
              Cell::Count(step.blocks_from_file), Cell::Text(OutcomeName(step.outcome))});
  }
  rows.Finish();
}

Verdict RunExplain(VerbContext& context) {
  const std::string& key = context.arguments.operands[0];
  ReadReceipt receipt;
  const DB::GetResult value = context.session.db().Get(key, {.receipt = &receipt});
  const bool found = value.ok() && value->has_value();
  switch (context.format) {
    case OutputFormat::kAuto:
    case OutputFormat::kTable:
    case OutputFormat::kRaw:
      context.output.Write("key " + Quoted(key) + "\n" + ReceiptInWords(receipt, found));
      break;
    case OutputFormat::kJson:
    case OutputFormat::kJsonLines: {
      Json report = {{"key", BytesToJson(key)}, {"found", found}};
      report.update(ReceiptToJson(receipt));
      context.output.Write(JsonText(report, context.format == OutputFormat::kJson) + "\n");
      break;
    }
    default:
      WriteSteps(context, receipt);
  }
  if (!value.ok()) return Verdict::Failed(value.status());
  return found ? Verdict::Yes() : Verdict::No();
}

}  // namespace

std::string ReceiptInWords(const ReadReceipt& receipt, bool found) {
  std::string text;
  for (const ReadStep& step : receipt.steps) text += "  " + StepInWords(step) + "\n";
  text += std::string("outcome: ") + (found ? "found" : "absent") + "\n";
  text += "cost: " + Plural(receipt.memtables_considered, "memtable") + " and " +
          Plural(receipt.tables_considered, "table") + " considered; " +
          Plural(receipt.filters_checked, "filter") + " asked, " +
          std::to_string(receipt.filter_negatives) + " said no, " +
          Plural(receipt.filter_false_positives, "false positive") + "; " +
          Plural(receipt.data_blocks_from_file, "data block") + " (" +
          Plural(receipt.bytes_from_file, "byte") + ") read from files, " +
          std::to_string(receipt.data_blocks_from_cache) + " from the cache\n";
  return text;
}

Json ReceiptToJson(const ReadReceipt& receipt) {
  Json steps = Json::array();
  for (const ReadStep& step : receipt.steps) steps.push_back(StepToJson(step));
  return {{"memtables_considered", receipt.memtables_considered},
          {"tables_considered", receipt.tables_considered},
          {"filters_checked", receipt.filters_checked},
          {"filter_negatives", receipt.filter_negatives},
          {"filter_false_positives", receipt.filter_false_positives},
          {"index_searches", receipt.index_searches},
          {"data_blocks_from_cache", receipt.data_blocks_from_cache},
          {"data_blocks_from_file", receipt.data_blocks_from_file},
          {"bytes_from_file", receipt.bytes_from_file},
          {"steps", steps}};
}

const Verb& ExplainVerb() {
  static constexpr Verb kVerb = {
      .name = "explain",
      .operands = "KEY",
      .summary = "read a key and tell what the read did and cost",
      .details = "Exit code 1 when the key is absent.",
      .access = Access::kRead,
      .min_operands = 1,
      .max_operands = 1,
      .keys = KeyOperands::kAll,
      .add_options = AddHexOption,
      .run = RunExplain,
  };
  return kVerb;
}

}  // namespace siltstone::tools
