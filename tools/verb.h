#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "siltstone/filter.h"

#include "tools/exit_code.h"
#include "tools/import_formats.h"
#include "tools/output.h"
#include "tools/output_format.h"
#include "tools/session.h"

namespace CLI {
class App;
}

namespace siltstone::tools {

// What the verbs that begin with "filter" have of their own.
struct FilterArguments {
  std::optional<Filter::Kind> kind;
  double fp_chance = 0.01;
  std::optional<uint64_t> items;
  double key_bytes = 16;  // plan
  bool nul_ended = false;
  bool hex_lines = false;
  bool secret_seed = false;
};

// What stands behind a verb on the command line. Which members a verb looks at is its own affair;
// the others cannot be set for it.
struct Arguments {
  std::vector<std::string> operands;  // keys already decoded where --hex was given
  bool keys_are_hex = false;

  std::optional<std::string> prefix;
  std::optional<std::string> from;
  std::optional<std::string> to;
  bool reverse = false;
  bool keys_only = false;
  std::optional<uint64_t> limit;

  bool if_absent = false;  // put
  bool literal = false;    // put: "-" and "@..." are values like any other

  std::optional<ImportFormat> import_format;
  std::optional<std::string> key_field;
  bool no_escapes = false;
  bool no_header = false;

  bool deep = false;   // verify
  bool apply = false;  // repair

  uint64_t probes = 0;  // filters
  bool advise = false;

  FilterArguments filter;
};

// What a verb works with.
struct VerbContext {
  Session& session;  // open, as the verb's access says
  Output& output;
  OutputFormat format = OutputFormat::kAuto;
  const Arguments& arguments;
  bool says_notes = true;  // tell on stderr what is no error
  bool in_shell = false;   // stdin holds commands, not data
};

// Words that name a key, for --hex.
enum class KeyOperands { kNone, kFirst, kAll };

struct Verb {
  std::string_view name;           // one word, or two as in "filter plan"
  std::string_view operands = {};  // as in a usage line
  std::string_view summary = {};   // one line
  std::string_view details = {};   // more lines for its help; may be empty
  Access access = Access::kRead;
  size_t min_operands = 0;
  size_t max_operands = 0;
  KeyOperands keys = KeyOperands::kNone;
  // Whether the second operand may begin with "-" (put KEY -x).
  bool takes_any_value = false;
  // Whether it reads stdin, with these operands: not possible in the shell.
  bool (*reads_stdin)(const Arguments&) = nullptr;
  void (*add_options)(CLI::App&, Arguments&) = nullptr;
  Verdict (*check)(const Arguments&) = nullptr;  // faults that need no database
  // Null: the shell, which is no verb of its own.
  Verdict (*run)(VerbContext&) = nullptr;
};

inline constexpr size_t kAnyNumber = SIZE_MAX;

}  // namespace siltstone::tools
