#include "tools/verbs_filter_file_ask.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/bytes_text.h"
#include "tools/filter_files.h"
#include "tools/filter_options.h"
#include "tools/option_binding.h"

namespace siltstone::tools {
namespace {

OutputFormat ReportFormat(const VerbContext& context) {
  return Resolve(context.format, context.output, OutputFormat::kTable);
}

// ---- plan

void AddPlanOptions(CLI::App& app, Arguments& arguments) {
  AddFilterDesignOptions(app, arguments);
  const auto parse = [](std::string_view text) {
    const std::optional<uint64_t> count = ParseCount(text);
    return count ? std::optional<double>(static_cast<double>(*count)) : std::nullopt;
  };
  BindOption(app, "--key-bytes", arguments.filter.key_bytes, parse, "B", "a number",
             "mean size of a key: of exact sets alone it counts [16]");
}

Verdict CheckPlan(const Arguments& arguments) {
  if (arguments.filter.items) return Verdict::Yes();
  return Verdict::Usage("filter plan needs --items N",
                        "kvtool filter plan --items 1000000 --fp 0.01");
}

std::vector<Column> PlanColumns() {
  return {{"kind"},
          {"items", true},
          {"fp", true},
          {"bits", true},
          {"bits_per_key", true},
          {"bytes", true},
          {"kib", true},
          {"k", true},
          {"k_before_rounding", true},
          {"fingerprint_bits", true},
          {"predicted", true}};
}

Cell CountOrNothing(int count) {
  return count == 0 ? Cell::Nothing() : Cell::Count(static_cast<uint64_t>(count));
}

std::vector<Cell> PlanRow(const FilterPlan& plan) {
  return {Cell::Text(std::string(FilterKindName(plan.kind))),
          Cell::Count(plan.keys),
          Cell::Share(plan.fp_chance),
          Cell::Count(plan.bits),
          Cell::Number(plan.bits_per_key, 3),
          Cell::Count(plan.bytes),
          Cell::Number(static_cast<double>(plan.bytes) / 1024, 1),
          CountOrNothing(plan.probes),
          plan.probes_before_rounding == 0 ? Cell::Nothing()
                                           : Cell::Number(plan.probes_before_rounding, 3),
          CountOrNothing(plan.fingerprint_bits),
          Cell::Share(plan.predicted_fp_rate, 6)};
}

Verdict RunPlan(VerbContext& context) {
  const FilterArguments& arguments = context.arguments.filter;
  RowWriter rows(context.output, ReportFormat(context), PlanColumns());
  for (const Filter::Kind kind : kFilterFileKinds) {
    if (arguments.kind && *arguments.kind != kind) continue;
    const absl::StatusOr<FilterPlan> plan =
        PlanFilter(kind, *arguments.items, arguments.fp_chance, arguments.key_bytes);
    // A list of what there is leaves out what there is not.
    if (!arguments.kind && absl::IsUnimplemented(plan.status())) continue;
    if (!plan.ok()) return FilterNotMade(plan.status());
    rows.Add(PlanRow(*plan));
  }
  rows.Finish();
  return Verdict::Yes();
}

// ---- query

// The answers to keys, printed as they come. Cost: lines of text, which are asked for by the
// million, are made without the cells of other formats.
class AnswerWriter {
 public:
  explicit AnswerWriter(VerbContext& context)
      : output_(context.output),
        format_(Resolve(context.format, context.output, OutputFormat::kTsv)),
        rows_(output_, format_, {{"answer"}, {"key"}}) {}

  void Add(bool maybe, std::string_view key) {
    const std::string_view answer = maybe ? "maybe" : "no";
    if (format_ != OutputFormat::kTsv && format_ != OutputFormat::kRaw) {
      rows_.Add({Cell::Text(std::string(answer)), Cell::Bytes(key)});
      return;
    }
    line_ = answer;
    line_ += '\t';
    line_ += format_ == OutputFormat::kRaw ? std::string(key) : EscapeField(key);
    line_ += '\n';
    output_.Write(line_);
  }
  void Finish() { rows_.Finish(); }

 private:
  Output& output_;
  const OutputFormat format_;
  RowWriter rows_;
  std::string line_;
};

bool QueryReadsStdin(const Arguments& arguments) {
  return arguments.operands[0] == "-" || KeysOperand(arguments) == "-";
}

Verdict CheckQuery(const Arguments& arguments) {
  if (arguments.operands[0] == "-" && KeysOperand(arguments) == "-") {
    return Verdict::Usage("stdin cannot be both the filter and the keys", "name a file for one");
  }
  return CheckKeyForm(arguments);
}

Verdict RunQuery(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  std::unique_ptr<Filter> filter;
  if (Verdict read = ReadFilterFile(arguments.operands[0], &filter); read.failed()) return read;
  absl::StatusOr<std::unique_ptr<Input>> input = Input::Open(KeysOperand(arguments));
  if (!input.ok()) return Verdict::BadInput(input.status());
  KeyLines keys(**input, KeyFormOf(arguments));
  AnswerWriter answers(context);
  bool any_no = false;
  std::string key;
  while (context.output.ok()) {
    const absl::StatusOr<bool> more = keys.Next(&key);
    if (!more.ok()) {
      answers.Finish();
      return Verdict::BadInput(more.status());
    }
    if (!*more) break;
    const bool maybe = filter->MayContain(key);
    any_no = any_no || !maybe;
    answers.Add(maybe, key);
  }
  answers.Finish();
  return any_no ? Verdict::No() : Verdict::Yes();
}

// ---- info

// Bits of what holds the keys, as filter plan counts them.
uint64_t BitsOf(const Filter& filter) {
  switch (filter.kind()) {
    case Filter::Kind::kStandardBloom:
      return static_cast<const BloomFilter&>(filter).bit_count();
    case Filter::Kind::kCountingBloom:
      return 4 * static_cast<const CountingBloomFilter&>(filter).counter_count();
    case Filter::Kind::kCuckoo: {
      const auto& cuckoo = static_cast<const CuckooFilter&>(filter);
      return cuckoo.bucket_count() * 4 * static_cast<uint64_t>(cuckoo.fingerprint_bits());
    }
    default:
      return uint64_t{8} * filter.memory_bytes();
  }
}

Facts FilterFacts(const std::string& path, const Filter& filter) {
  const uint64_t bits = BitsOf(filter);
  const bool has_bound = filter.capacity() != 0;
  return {{"file", Cell::Bytes(path)},
          {"kind", Cell::Text(std::string(FilterKindName(filter.kind())))},
          {"parameters", Cell::Text(filter.parameters())},
          {"keys", Cell::Count(filter.count())},
          {"capacity", has_bound ? Cell::Count(filter.capacity()) : Cell::Nothing()},
          {"bits", Cell::Count(bits)},
          {"bits_per_key",
           filter.count() == 0
               ? Cell::Nothing()
               : Cell::Number(static_cast<double>(bits) / static_cast<double>(filter.count()), 3)},
          {"fill_ratio", Cell::Share(filter.fill_ratio())},
          {"configured", Cell::Share(filter.fp_chance())},
          {"predicted", Cell::Share(filter.predicted_fp_rate())},
          {"overfilled", Cell::Text(filter.overfilled() ? "yes" : "no")},
          {"seed", Cell::Text(filter.seed() == kPublicFilterSeed ? "public" : "secret")},
          {"memory_bytes", Cell::Size(filter.memory_bytes())}};
}

Verdict RunInfo(VerbContext& context) {
  const std::string& path = context.arguments.operands[0];
  std::unique_ptr<Filter> filter;
  if (Verdict read = ReadFilterFile(path, &filter); read.failed()) return read;
  WriteFacts(context.output, ReportFormat(context), FilterFacts(path, *filter));
  return Verdict::Yes();
}

bool InfoReadsStdin(const Arguments& arguments) { return arguments.operands[0] == "-"; }

}  // namespace

const Verb& FilterPlanVerb() {
  static constexpr Verb kVerb = {
      .name = "filter plan",
      .summary = "print what a filter of N keys would cost",
      .details =
          "A line for the kind, or for each kind there is. predicted: the chance of a wrong maybe\n"
          "with so many keys, at this number of bits and k.",
      .access = Access::kNone,
      .add_options = AddPlanOptions,
      .check = CheckPlan,
      .run = RunPlan,
  };
  return kVerb;
}

const Verb& FilterQueryVerb() {
  static constexpr Verb kVerb = {
      .name = "filter query",
      .operands = "FILE [KEYS]",
      .summary = "ask a filter file after the keys on stdin, or in a file",
      .details =
          "A line of maybe or no, tab, key for each key, in their order. Exit code 1 when a key\n"
          "is certainly absent, 0 when all may be there.",
      .access = Access::kNone,
      .min_operands = 1,
      .max_operands = 2,
      .reads_stdin = QueryReadsStdin,
      .add_options = AddKeyFormOptions,
      .check = CheckQuery,
      .run = RunQuery,
  };
  return kVerb;
}

const Verb& FilterInfoVerb() {
  static constexpr Verb kVerb = {
      .name = "filter info",
      .operands = "FILE",
      .summary = "print kind, size, load and health of a filter file",
      .details =
          "configured: the chance of a wrong maybe that it was made for; predicted: what it is\n"
          "now, from what is set. seed: public, or secret, so that only who has the file can\n"
          "foresee its answers.",
      .access = Access::kNone,
      .min_operands = 1,
      .max_operands = 1,
      .reads_stdin = InfoReadsStdin,
      .run = RunInfo,
  };
  return kVerb;
}

}  // namespace siltstone::tools
