#include "tools/verbs_filter_file_make.h"

#include <stdio.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cell.h"
#include "tools/filter_builder.h"
#include "tools/filter_files.h"
#include "tools/filter_options.h"
#include "tools/key_range.h"
#include "tools/option_binding.h"
#include "tools/progress.h"

namespace siltstone::tools {
namespace {

Filter::Kind KindOf(const Arguments& arguments) {
  return arguments.filter.kind.value_or(Filter::Kind::kStandardBloom);
}

FilterDesign DesignOf(const Arguments& arguments) {
  const FilterArguments& filter = arguments.filter;
  return {.capacity = filter.items.value_or(0),
          .fp_chance = filter.fp_chance,
          .seed = filter.secret_seed ? RandomFilterSeed() : kPublicFilterSeed};
}

Verdict CheckItems(const Arguments& arguments) {
  if (arguments.filter.items != 0) return Verdict::Yes();
  return Verdict::Usage("--items 0 is no number of keys", "leave it out to have the keys counted");
}

// An overfilled filter fails without a sign, so that its maker must be told.
void TellOverfilled(const VerbContext& context, const std::string& path, const Filter& filter) {
  if (!context.says_notes || !filter.overfilled()) return;
  const std::string note = path + " holds " + std::to_string(filter.count()) +
                           " keys and was made for " + std::to_string(filter.capacity()) +
                           ": the chance of a wrong maybe is " +
                           Cell::Share(filter.predicted_fp_rate()).human();
  fprintf(stderr, "kvtool: %s\n", note.c_str());
}

Verdict FinishFilter(VerbContext& context, absl::StatusOr<std::unique_ptr<Filter>> filter) {
  if (!filter.ok()) return FilterNotMade(filter.status());
  const std::string& path = context.arguments.operands[0];
  const Verdict verdict = WriteFilterFile(**filter, path, context.output);
  if (!verdict.failed()) TellOverfilled(context, path, **filter);
  return verdict;
}

// ---- build

void AddBuildOptions(CLI::App& app, Arguments& arguments) {
  AddFilterDesignOptions(app, arguments);
  AddKeyFormOptions(app, arguments);
  app.add_flag("--secret-seed", arguments.filter.secret_seed,
               "hash with a random seed, and let only the owner read the file");
}

Verdict CheckBuild(const Arguments& arguments) {
  if (Verdict verdict = CheckItems(arguments); verdict.failed()) return verdict;
  return CheckKeyForm(arguments);
}

bool BuildReadsStdin(const Arguments& arguments) { return KeysOperand(arguments) == "-"; }

Verdict RunBuild(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  absl::StatusOr<FilterBuilder> builder =
      FilterBuilder::Begin(KindOf(arguments), DesignOf(arguments));
  if (!builder.ok()) return FilterNotMade(builder.status());
  absl::StatusOr<std::unique_ptr<Input>> input = Input::Open(KeysOperand(arguments));
  if (!input.ok()) return Verdict::BadInput(input.status());
  KeyLines keys(**input, KeyFormOf(arguments));
  Progress progress("added");
  std::string key;
  while (true) {
    const absl::StatusOr<bool> more = keys.Next(&key);
    if (!more.ok()) return Verdict::BadInput(more.status());
    if (!*more) break;
    if (absl::Status status = builder->Add(key); !status.ok()) return FilterNotMade(status);
    progress.Advance();
  }
  return FinishFilter(context, builder->Finish());
}

// ---- union

Verdict NotUnited(const std::string& message) {
  return Verdict::Usage(message,
                        "only standard filters built with equal --items, --fp and seed unite");
}

// Reads a filter that may be united with others.
Verdict ReadStandardFilter(const std::string& path, std::unique_ptr<Filter>* filter) {
  if (Verdict verdict = ReadFilterFile(path, filter); verdict.failed()) return verdict;
  if ((*filter)->kind() == Filter::Kind::kStandardBloom) return Verdict::Yes();
  return NotUnited(path + " is of kind " + std::string(FilterKindName((*filter)->kind())) +
                   ": cannot be united");
}

Verdict RunUnion(VerbContext& context) {
  const std::vector<std::string>& paths = context.arguments.operands;
  std::unique_ptr<Filter> whole;
  if (Verdict verdict = ReadStandardFilter(paths[1], &whole); verdict.failed()) return verdict;
  for (size_t i = 2; i < paths.size(); ++i) {
    std::unique_ptr<Filter> part;
    if (Verdict verdict = ReadStandardFilter(paths[i], &part); verdict.failed()) return verdict;
    const absl::Status united =
        static_cast<BloomFilter&>(*whole).UniteWith(static_cast<const BloomFilter&>(*part));
    if (!united.ok()) {
      return NotUnited("cannot unite " + paths[1] + " with " + paths[i] + ": " +
                       std::string(united.message()));
    }
  }
  return FinishFilter(context, std::move(whole));
}

bool UnionReadsStdin(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.operands;
  return std::find(paths.begin() + 1, paths.end(), "-") != paths.end();
}

Verdict CheckUnion(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.operands;
  if (std::count(paths.begin() + 1, paths.end(), "-") < 2) return Verdict::Yes();
  return Verdict::Usage("stdin can be only one of the filters", "name files for the others");
}

// ---- export

void AddExportOptions(CLI::App& app, Arguments& arguments) {
  AddFilterDesignOptions(app, arguments);
  AddRangeOptions(app, arguments);
}

Verdict CheckExport(const Arguments& arguments) {
  if (Verdict verdict = CheckItems(arguments); verdict.failed()) return verdict;
  return CheckRange(arguments);
}

Verdict RunExport(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  absl::StatusOr<FilterBuilder> builder =
      FilterBuilder::Begin(KindOf(arguments), DesignOf(arguments));
  if (!builder.ok()) return FilterNotMade(builder.status());
  Progress progress("added");
  absl::Status added;
  const auto add = [&](std::string_view key, std::string_view) {
    added = builder->Add(key);
    progress.Advance();
    return added.ok();
  };
  const absl::Status status = VisitRange(context.session.db(), arguments, add);
  if (!status.ok()) return Verdict::Failed(status);
  if (!added.ok()) return FilterNotMade(added);
  return FinishFilter(context, builder->Finish());
}

}  // namespace

const Verb& FilterBuildVerb() {
  static constexpr Verb kVerb = {
      .name = "filter build",
      .operands = "FILE [KEYS]",
      .summary = "make a filter file of the keys on stdin, or in a file",
      .details =
          "A key a line, byte for byte. FILE - is stdout. Without --kind the filter is a standard\n"
          "Bloom filter. Without --items it is made for as many distinct keys as there are; bloom\n"
          "and ribbon always are. A filter that gets more keys than --items says keeps them all,\n"
          "but errs more often, which is told on stderr; a cuckoo filter has no room then.",
      .access = Access::kNone,
      .min_operands = 1,
      .max_operands = 2,
      .reads_stdin = BuildReadsStdin,
      .add_options = AddBuildOptions,
      .check = CheckBuild,
      .run = RunBuild,
  };
  return kVerb;
}

const Verb& FilterUnionVerb() {
  static constexpr Verb kVerb = {
      .name = "filter union",
      .operands = "OUT IN...",
      .summary = "make a filter file of all keys of others",
      .details =
          "The same filter as if all keys had been added to one. Only standard filters that were\n"
          "built with equal --items, --fp and seed unite; others are refused and named.",
      .access = Access::kNone,
      .min_operands = 2,
      .max_operands = kAnyNumber,
      .reads_stdin = UnionReadsStdin,
      .check = CheckUnion,
      .run = RunUnion,
  };
  return kVerb;
}

const Verb& FilterExportVerb() {
  static constexpr Verb kVerb = {
      .name = "filter export",
      .operands = "FILE",
      .summary = "make a filter file of the keys of a database",
      .details =
          "All keys, or those of a range, hashed with the public seed: for others to ask which of\n"
          "their rows this database might hold. FILE - is stdout. Give equal --items and --fp to\n"
          "the exports of several databases that shall be united.",
      .access = Access::kRead,
      .min_operands = 1,
      .max_operands = 1,
      .add_options = AddExportOptions,
      .check = CheckExport,
      .run = RunExport,
  };
  return kVerb;
}

}  // namespace siltstone::tools
