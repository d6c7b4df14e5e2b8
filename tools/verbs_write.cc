#include "tools/verbs_write.h"

#include <stdio.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tools/batch_lines.h"
#include "tools/bytes_text.h"
#include "tools/export_format.h"
#include "tools/import_loop.h"
#include "tools/key_range.h"
#include "tools/option_binding.h"

namespace siltstone::tools {
namespace {

// ---- put, del

bool IsStdinValue(const Arguments& arguments) {
  return !arguments.literal && arguments.operands[1] == "-";
}

void AddPutOptions(CLI::App& app, Arguments& arguments) {
  AddHexOption(app, arguments);
  app.add_flag("--literal", arguments.literal,
               "VALUE is the value, also when it is - or begins with @");
  app.add_flag("--if-absent", arguments.if_absent,
               "only where there is no such key; exit code 1 else");
}

absl::Status ReadWhole(const std::string& path, std::string* bytes) {
  absl::StatusOr<std::unique_ptr<Input>> input = Input::Open(path);
  return input.ok() ? (*input)->ReadAll(bytes) : input.status();
}

Verdict RunPut(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  std::string value = arguments.operands[1];
  const bool is_file = !arguments.literal && value.starts_with('@');
  if (is_file || IsStdinValue(arguments)) {
    const std::string path = is_file ? value.substr(1) : "-";
    value.clear();
    if (absl::Status status = ReadWhole(path, &value); !status.ok())
      return Verdict::BadInput(status);
  }
  if (Verdict opened = context.session.Open(Access::kCreate); opened.failed()) return opened;
  DB& db = context.session.db();
  const std::string& key = arguments.operands[0];
  if (!arguments.if_absent) {
    const absl::Status status = db.Put(key, value);
    return status.ok() ? Verdict::Yes() : Verdict::Failed(status);
  }
  const absl::StatusOr<bool> inserted = db.PutIfAbsent(key, value);
  if (!inserted.ok()) return Verdict::Failed(inserted.status());
  return *inserted ? Verdict::Yes() : Verdict::No();
}

Verdict RunDel(VerbContext& context) {
  WriteBatch batch;
  for (const std::string& key : context.arguments.operands) batch.Delete(key);
  const absl::Status status = context.session.db().Write(batch);
  return status.ok() ? Verdict::Yes() : Verdict::Failed(status);
}

// ---- batch, import

std::string InputOperand(const Arguments& arguments) {
  return arguments.operands.empty() ? "-" : arguments.operands[0];
}

bool IsStdinInput(const Arguments& arguments) { return InputOperand(arguments) == "-"; }

Verdict RunBatch(VerbContext& context) {
  absl::StatusOr<std::unique_ptr<Input>> input = Input::Open(InputOperand(context.arguments));
  if (!input.ok()) return Verdict::BadInput(input.status());
  WriteBatch batch;
  if (absl::Status status = ReadBatchLines(**input, &batch); !status.ok())
    return Verdict::BadInput(status);
  if (Verdict opened = context.session.Open(Access::kCreate); opened.failed()) return opened;
  const absl::Status status = batch.empty() ? absl::OkStatus() : context.session.db().Write(batch);
  if (!status.ok()) return Verdict::Failed(status);
  if (context.says_notes) fprintf(stderr, "kvtool: applied %zu changes\n", batch.count());
  return Verdict::Yes();
}

void AddImportOptions(CLI::App& app, Arguments& arguments) {
  BindOption(app, "--format", arguments.import_format, ParseImportFormat, "FORMAT",
             "one of " + ImportFormatNames(), ImportFormatNames() + "; an export is recognised");
  BindBytes(app, "--key", arguments.key_field, "FIELD", "deb822: the field that holds the key");
  app.add_flag("--no-escapes", arguments.no_escapes, "tsv: a backslash is a backslash");
  app.add_flag("--no-header", arguments.no_header, "csv: a first record of key,value is data");
}

Verdict CheckImport(const Arguments& arguments) {
  const std::string hint = "'kvtool import --help' tells more";
  const auto format = arguments.import_format;
  const bool is_deb822 = format == ImportFormat::kDeb822;
  if (is_deb822 && (!arguments.key_field || arguments.key_field->empty())) {
    return Verdict::Usage("--format deb822 needs --key FIELD", "for example: --key Package");
  }
  if (arguments.key_field && !is_deb822) {
    return Verdict::Usage("--key goes with --format deb822 only", hint);
  }
  if (arguments.no_escapes && format != ImportFormat::kTsv) {
    return Verdict::Usage("--no-escapes goes with --format tsv only", hint);
  }
  if (arguments.no_header && format != ImportFormat::kCsv) {
    return Verdict::Usage("--no-header goes with --format csv only", hint);
  }
  return Verdict::Yes();
}

std::string Told(const ImportProgress& progress) {
  std::string text = std::to_string(progress.records_read) + " records read, ";
  if (progress.records_written == 0) return text + "nothing written";
  return text + std::to_string(progress.records_written) + " written, which stay";
}

Verdict ImportFault(const absl::Status& status, const ImportProgress& progress) {
  Verdict verdict = Verdict::Failed(status);
  // A key or value that the database does not take is bad input, not a bad command line.
  if (verdict.code == ExitCode::kUsage) verdict.code = ExitCode::kBadData;
  verdict.message += "; " + Told(progress);
  if (progress.input_at_fault && verdict.code == ExitCode::kBadData) {
    verdict.hint = "mend the input and import it again: records that are there are replaced";
  }
  return verdict;
}

// An export in a file is checked whole before anything is written. (A stream cannot be read twice:
// there the records in front of the damage are written.)
Verdict CheckExport(Input& input) {
  ImportProgress progress;
  const absl::Status status = CheckRecords(*NewExportReader(input), &progress);
  if (!status.ok()) return ImportFault(status, progress);
  const absl::Status rewound = input.Rewind();
  return rewound.ok() ? Verdict::Yes() : Verdict::Failed(rewound);
}

Verdict ImportFrom(VerbContext& context, RecordReader& reader) {
  if (Verdict opened = context.session.Open(Access::kCreate); opened.failed()) return opened;
  ImportProgress progress;
  const absl::Status status = ImportRecords(reader, context.session.db(), &progress);
  if (!status.ok()) return ImportFault(status, progress);
  if (context.says_notes) {
    fprintf(stderr, "kvtool: imported %llu records\n",
            static_cast<unsigned long long>(progress.records_written));
  }
  return Verdict::Yes();
}

Verdict RunImport(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  absl::StatusOr<std::unique_ptr<Input>> opened = Input::Open(InputOperand(arguments));
  if (!opened.ok()) return Verdict::BadInput(opened.status());
  Input& input = **opened;
  const absl::StatusOr<std::string_view> start = input.Peek(kExportMagic.size());
  if (!start.ok()) return Verdict::BadInput(start.status());
  // A prefix of the magic is an export that was cut very early.
  if (!start->empty() && kExportMagic.starts_with(*start)) {
    if (input.is_regular_file()) {
      if (Verdict checked = CheckExport(input); checked.failed()) return checked;
    }
    return ImportFrom(context, *NewExportReader(input));
  }
  if (!arguments.import_format) {
    return {ExitCode::kBadData, "not an export, in " + input.name() + " at offset 0",
            "for other formats give --format " + ImportFormatNames()};
  }
  const ImportFormatOptions options = {.format = *arguments.import_format,
                                       .key_field = arguments.key_field.value_or(""),
                                       .escapes = !arguments.no_escapes,
                                       .has_header = !arguments.no_header};
  return ImportFrom(context, *NewImportReader(input, options));
}

// ---- compact

void AddCompactOptions(CLI::App& app, Arguments& arguments) {
  BindBytes(app, "--from", arguments.from, "A", "tables with keys from A on");
  BindBytes(app, "--to", arguments.to, "B", "tables with keys up to B");
  AddHexOption(app, arguments);
}

Verdict RunCompact(VerbContext& context) {
  const Arguments& arguments = context.arguments;
  const absl::Status status = context.session.db().CompactRange(arguments.from, arguments.to);
  return status.ok() ? Verdict::Yes() : Verdict::Failed(status);
}

}  // namespace

// put, batch and import open the database themselves, once their input is there: an input that is
// missing or not what it should be creates no database.

const Verb& PutVerb() {
  static constexpr Verb kVerb = {
      .name = "put",
      .operands = "KEY VALUE|-|@FILE",
      .summary = "set a key to a value",
      .details =
          "VALUE - is read from stdin, @FILE from a file. Creates the database where there is "
          "none.",
      .access = Access::kNone,
      .min_operands = 2,
      .max_operands = 2,
      .keys = KeyOperands::kFirst,
      .takes_any_value = true,
      .reads_stdin = IsStdinValue,
      .add_options = AddPutOptions,
      .run = RunPut,
  };
  return kVerb;
}

const Verb& DelVerb() {
  static constexpr Verb kVerb = {
      .name = "del",
      .operands = "KEY...",
      .summary = "remove keys, all at once",
      .details = "A key that is not there is no fault.",
      .access = Access::kWrite,
      .min_operands = 1,
      .max_operands = kAnyNumber,
      .keys = KeyOperands::kAll,
      .add_options = AddHexOption,
      .run = RunDel,
  };
  return kVerb;
}

const Verb& BatchVerb() {
  static constexpr Verb kVerb = {
      .name = "batch",
      .operands = "[FILE|-]",
      .summary = "apply put and del lines as one atomic batch",
      .details =
          "Lines: put TAB key TAB value, or del TAB key, with the escapes \\t \\n \\r \\0 \\\\ "
          "\\xNN.\n"
          "All are applied or none. Creates the database where there is none.",
      .access = Access::kNone,
      .max_operands = 1,
      .reads_stdin = IsStdinInput,
      .run = RunBatch,
  };
  return kVerb;
}

const Verb& ImportVerb() {
  static constexpr Verb kVerb = {
      .name = "import",
      .operands = "[FILE|-]",
      .summary = "write records from a file or stdin",
      .details =
          "An export is recognised; another format is named by --format. Creates the database\n"
          "where there is none. Writes in batches and syncs once at the end. When the input is at\n"
          "fault the records before the fault stay; an export in a file is checked first, and "
          "then\n"
          "nothing is written.",
      .access = Access::kNone,
      .max_operands = 1,
      .reads_stdin = IsStdinInput,
      .add_options = AddImportOptions,
      .check = CheckImport,
      .run = RunImport,
  };
  return kVerb;
}

const Verb& CompactVerb() {
  static constexpr Verb kVerb = {
      .name = "compact",
      .summary = "flush, and merge tables down to the deepest level",
      .details = "All tables, or those with keys between --from and --to.",
      .access = Access::kWrite,
      .add_options = AddCompactOptions,
      .run = RunCompact,
  };
  return kVerb;
}

}  // namespace siltstone::tools
