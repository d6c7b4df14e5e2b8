#include "tools/command_line.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "tools/bytes_text.h"
#include "tools/option_binding.h"
#include "tools/verb_lookup.h"

namespace siltstone::tools {
namespace {

constexpr char kVersionText[] = "kvtool 0.1.0\n";
constexpr char kSizeForm[] = "a size such as 4096, 64K, 256M or 1G";

struct CommonFlags {
  bool help = false;
  bool version = false;
};

void AddDatabaseOptions(CLI::App& app, DatabaseOptions& database) {
  const std::string group = "Creating and opening";
  BindOption(app, "--fp-chance", database.fp_chance, ParseChance, "P", "a chance in (0, 1]",
             "chance that a filter says maybe for an absent key; 1 writes no filter [0.01]")
      ->group(group);
  BindOption(app, "--filter-kind", database.filter_kind, ParseFilterKind, "KIND",
             "one of standard, bloom, ribbon, auto", "standard, bloom, ribbon or auto [bloom]")
      ->group(group);
  BindOption(app, "--filter-allocation", database.filter_allocation, ParseFilterAllocation, "KIND",
             "one of uniform, by-level",
             "how filter memory is spread over the levels: uniform or by-level [uniform]")
      ->group(group);
  BindOption(app, "--compression", database.compression, ParseCompression, "KIND",
             "one of none, lz4", "none or lz4 [lz4]")
      ->group(group);
  BindOption(app, "--memory-budget", database.memory_budget_bytes, ParseSize, "SIZE", kSizeForm,
             "memory for memtables, cache, filters and indexes [256M]")
      ->group(group);
  BindOption(app, "--write-buffer", database.write_buffer_bytes, ParseSize, "SIZE", kSizeForm,
             "a memtable of this size is flushed [64M]")
      ->group(group);
  BindOption(app, "--block-size", database.block_size_bytes, ParseSize, "SIZE", kSizeForm,
             "bytes of a data block before compression [4096]")
      ->group(group);
  BindOption(app, "--durability", database.durability, ParseDurability, "KIND",
             "one of sync, buffered",
             "what an acknowledged write survives: sync or buffered [sync]")
      ->group(group);
}

void AddGlobalOptions(CLI::App& app, CommandScope scope, GlobalOptions& globals,
                      CommonFlags& flags) {
  app.set_help_flag();
  const std::string group = "Global options";
  const auto any_path = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  if (scope == CommandScope::kProgram) {
    BindOption(app, "-d,--db", globals.database_path, any_path, "PATH", "a path",
               "the database [$KVTOOL_DB]")
        ->group(group);
    AddDatabaseOptions(app, globals.database);
  }
  BindOption(app, "-o,--output", globals.format, ParseOutputFormat, "FORMAT",
             "one of " + OutputFormatNames(), OutputFormatNames())
      ->group(group);
  app.add_flag("-q,--quiet", globals.quiet, "no notes on stderr, errors only")->group(group);
  app.add_flag("-h,--help", flags.help, "print this help")->group(group);
  if (scope == CommandScope::kProgram) {
    app.add_flag("--version", flags.version, "print the version")->group(group);
  }
}

// The option a word spells out by its whole name ("-d", "--db", "--db=x"); null: none.
const CLI::Option* SpelledOption(const CLI::App& app, const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return nullptr;
  return app.get_option_no_throw(
      word.substr(0, word.starts_with("--") ? word.find('=') : word.npos));
}

// Words made fit for CLI11.
struct PreparedWords {
  std::vector<std::string> words;
  std::optional<std::string> value;  // of put, where it begins with "-"; taken out of the words
};

enum class Operands {
  kEndOptions,  // options are looked for up to the first operand only
  kPlain,
  kAnySecond,  // the second operand is whatever stands behind the first and is not an option
};

// Splits "--name=" from its value (CLI11 would take an empty one for a missing one), and takes out
// a second operand that begins with "-".
PreparedWords PrepareWords(const CLI::App& app, const std::vector<std::string>& words,
                           Operands form) {
  PreparedWords prepared;
  size_t operands = 0;
  bool options_ended = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (form == Operands::kEndOptions && operands > 0) options_ended = true;
    const bool has_dash = word.size() > 1 && word[0] == '-' && !options_ended;
    const CLI::Option* option = has_dash ? SpelledOption(app, word) : nullptr;
    const size_t equals = word.find('=');
    if (option != nullptr && option->get_items_expected_max() > 0) {
      if (word.starts_with("--") && equals != std::string::npos) {
        prepared.words.push_back(word.substr(0, equals));
        prepared.words.push_back(word.substr(equals + 1));
        continue;
      }
      prepared.words.push_back(word);
      if (i + 1 < words.size()) prepared.words.push_back(words[++i]);
      continue;
    }
    if (form == Operands::kAnySecond && operands == 1 && has_dash && option == nullptr &&
        word != "--") {
      prepared.value = word;
      ++operands;
      continue;
    }
    if (word == "--") {
      options_ended = true;
    } else if (!has_dash) {
      ++operands;
    }
    prepared.words.push_back(word);
  }
  return prepared;
}

// Runs CLI11 over the words; what is left over is in app.remaining().
Verdict RunParser(CLI::App& app, std::vector<std::string> words, const std::string& hint) {
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::Error& error) {
    return Verdict::Usage(error.what(), hint);
  }
  return Verdict::Yes();
}

std::string HelpHint(CommandScope scope, std::string_view verb = "") {
  if (scope == CommandScope::kShell) return "'help' lists the verbs, 'help VERB' explains one";
  if (verb.empty()) return "'kvtool --help' lists the verbs";
  return "'kvtool " + std::string(verb) + " --help' tells more";
}

// No verb begins with these words.
Verdict UnknownVerb(const std::vector<std::string>& words, std::span<const Verb> verbs,
                    CommandScope scope) {
  std::string name = words[0];
  const std::vector<const Verb*> of_two_words = VerbsBeginningWith(verbs, name);
  if (!of_two_words.empty()) {
    std::string names;
    for (const Verb* verb : of_two_words) {
      if (!names.empty()) names += ", ";
      names += verb->name.substr(name.size() + 1);
    }
    if (words.size() == 1 || words[1].starts_with('-')) {
      return Verdict::Usage(name + " needs a second word: " + names, HelpHint(scope, name));
    }
    name += " " + words[1];
  }
  std::string hint = HelpHint(scope);
  if (const std::optional<std::string> nearest = NearestVerb(verbs, name)) {
    hint = "did you mean '" + *nearest + "'? " + hint;
  }
  return Verdict::Usage("unknown verb " + Quoted(name), hint);
}

std::string UsageLine(const Verb& verb, CommandScope scope) {
  std::string line = scope == CommandScope::kShell ? "" : "kvtool [global options] ";
  line += std::string(verb.name) + " [options]";
  if (!verb.operands.empty()) line += " " + std::string(verb.operands);
  return line;
}

// A verb in a list of verbs.
std::string VerbLine(const Verb& verb) {
  std::string left = "  " + std::string(verb.name) + " " + std::string(verb.operands);
  left.resize(std::max<size_t>(left.size() + 2, 28), ' ');
  return left + std::string(verb.summary) + "\n";
}

std::string OptionsHelp(CLI::App& app) {
  CLI::Formatter formatter;
  formatter.column_width(28);
  std::string text = formatter.make_groups(&app, CLI::AppFormatMode::Normal);
  // CLI11 sets two empty lines between groups, and one behind the last.
  for (size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string VerbHelp(CLI::App& app, const Verb& verb, CommandScope scope) {
  std::string text =
      "usage: " + UsageLine(verb, scope) + "\n\n" + std::string(verb.summary) + ".\n";
  if (!verb.details.empty()) text += "\n" + std::string(verb.details) + "\n";
  return text + OptionsHelp(app);
}

// The help of the verbs of two words that begin with the same one.
std::string GroupHelp(const std::vector<const Verb*>& verbs, CommandScope scope) {
  std::string text;
  for (const Verb* verb : verbs) {
    text += text.empty() ? "usage: " : "       ";
    text += UsageLine(*verb, scope) + "\n";
  }
  text += "\n";
  for (const Verb* verb : verbs) text += VerbLine(*verb);
  return text;
}

// Sorts what CLI11 left over into operands; a word with "-" in front of a "--" is an unknown
// option.
Verdict TakeOperands(const std::vector<std::string>& remaining, const std::string& hint,
                     std::vector<std::string>* operands) {
  bool options_ended = false;
  for (const std::string& word : remaining) {
    if (!options_ended && word == "--") {
      options_ended = true;
      continue;
    }
    if (!options_ended && word.size() > 1 && word[0] == '-') {
      return Verdict::Usage("unknown option " + Quoted(word),
                            hint + "; operands that begin with - go behind --");
    }
    operands->push_back(word);
  }
  return Verdict::Yes();
}

Verdict CheckOperandCount(const Verb& verb, size_t count, const std::string& hint,
                          CommandScope scope) {
  if (count >= verb.min_operands && count <= verb.max_operands) return Verdict::Yes();
  const std::string what =
      count < verb.min_operands ? " has too few operands" : " has too many operands";
  return Verdict::Usage(std::string(verb.name) + what + ": usage is " + UsageLine(verb, scope),
                        hint);
}

Verdict DecodeKey(std::string* key) {
  std::optional<std::string> bytes = FromHex(*key);
  if (!bytes) {
    return Verdict::Usage(Quoted(*key) + " is not a key in hex",
                          "--hex takes an even number of hex digits for each key");
  }
  *key = *std::move(bytes);
  return Verdict::Yes();
}

Verdict DecodeHexKeys(const Verb& verb, Arguments* arguments) {
  if (!arguments->keys_are_hex) return Verdict::Yes();
  const size_t count = verb.keys == KeyOperands::kAll     ? arguments->operands.size()
                       : verb.keys == KeyOperands::kFirst ? 1
                                                          : 0;
  std::vector<std::string*> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(&arguments->operands[i]);
  for (auto* bound : {&arguments->prefix, &arguments->from, &arguments->to}) {
    if (*bound) keys.push_back(&**bound);
  }
  for (std::string* key : keys) {
    if (Verdict verdict = DecodeKey(key); verdict.failed()) return verdict;
  }
  return Verdict::Yes();
}

Verdict ParseVerb(const Verb& verb, const std::vector<std::string>& words, CommandScope scope,
                  CommandLine* out) {
  out->verb = &verb;
  CLI::App app;
  app.allow_extras();
  CommonFlags flags;
  if (verb.add_options != nullptr) verb.add_options(app, out->arguments);
  AddGlobalOptions(app, scope, out->globals, flags);
  const std::string hint = HelpHint(scope, verb.name);

  PreparedWords prepared =
      PrepareWords(app, words, verb.takes_any_value ? Operands::kAnySecond : Operands::kPlain);
  if (Verdict v = RunParser(app, std::move(prepared.words), hint); v.failed()) return v;
  if (flags.help || flags.version) {
    out->text = flags.help ? VerbHelp(app, verb, scope) : kVersionText;
    return Verdict::Yes();
  }
  std::vector<std::string>& operands = out->arguments.operands;
  if (Verdict v = TakeOperands(app.remaining(), hint, &operands); v.failed()) return v;
  if (prepared.value) operands.insert(operands.begin() + 1, *std::move(prepared.value));
  if (Verdict v = CheckOperandCount(verb, operands.size(), hint, scope); v.failed()) return v;
  if (Verdict v = DecodeHexKeys(verb, &out->arguments); v.failed()) return v;
  if (scope == CommandScope::kShell && verb.reads_stdin != nullptr &&
      verb.reads_stdin(out->arguments)) {
    return Verdict::Usage(std::string(verb.name) + " cannot read stdin here: it holds the commands",
                          "name a file, or use the verb outside of the shell");
  }
  return verb.check == nullptr ? Verdict::Yes() : verb.check(out->arguments);
}

}  // namespace

Verdict ParseCommandLine(std::vector<std::string> words, std::span<const Verb> verbs,
                         CommandScope scope, const GlobalOptions& globals, CommandLine* out) {
  out->globals = globals;
  CLI::App app;
  app.prefix_command();
  CommonFlags flags;
  AddGlobalOptions(app, scope, out->globals, flags);
  PreparedWords prepared = PrepareWords(app, words, Operands::kEndOptions);
  if (Verdict v = RunParser(app, std::move(prepared.words), HelpHint(scope)); v.failed()) return v;

  std::vector<std::string> rest = app.remaining();
  if (!rest.empty() && rest[0] == "--") rest.erase(rest.begin());
  if (flags.version) {
    out->text = kVersionText;
    return Verdict::Yes();
  }
  bool wants_help = flags.help;
  if (!rest.empty() && rest[0] == "help") {
    wants_help = true;
    rest.erase(rest.begin());
  }
  if (rest.empty()) {
    if (!wants_help) return Verdict::Usage("no verb given", HelpHint(scope));
    out->text = ProgramHelp(verbs, scope);
    return Verdict::Yes();
  }
  if (rest[0].size() > 1 && rest[0][0] == '-') {
    return Verdict::Usage("unknown option " + Quoted(rest[0]), HelpHint(scope));
  }
  const std::string first = rest[0];
  const Verb* verb = TakeVerb(verbs, &rest);
  if (verb == nullptr) {
    const std::vector<const Verb*> of_two_words = VerbsBeginningWith(verbs, first);
    const bool asks_help = (rest.size() == 1 && wants_help) ||
                           (rest.size() == 2 && (rest[1] == "-h" || rest[1] == "--help"));
    if (!asks_help || of_two_words.empty()) return UnknownVerb(rest, verbs, scope);
    out->text = GroupHelp(of_two_words, scope);
    return Verdict::Yes();
  }
  if (wants_help) rest = {"--help"};
  return ParseVerb(*verb, rest, scope, out);
}

std::string ProgramHelp(std::span<const Verb> verbs, CommandScope scope) {
  std::string text;
  if (scope == CommandScope::kProgram) {
    text =
        "usage: kvtool [global options] VERB [options] [operands]\n\n"
        "Reads, writes and examines a Siltstone database.\n";
  }
  text += "\nVerbs:\n";
  for (const Verb& verb : verbs) text += VerbLine(verb);
  text += scope == CommandScope::kShell ? "  help [VERB]               explain a verb\n"
                                          "  exit                      leave the shell\n"
                                        : "  help [VERB]               explain a verb\n";
  CLI::App app;
  GlobalOptions globals;
  CommonFlags flags;
  AddGlobalOptions(app, scope, globals, flags);
  text += OptionsHelp(app);
  if (scope == CommandScope::kProgram) {
    text +=
        "\nExit codes: 0 yes; 1 no (key absent); 2 usage; 3 cannot open; 4 corruption or bad input "
        "data;\n"
        "5 I/O or no space; 6 conflict, held lock or timeout; 70 internal; 130 interrupted.\n";
  }
  return text;
}

}  // namespace siltstone::tools
