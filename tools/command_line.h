#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/database_options.h"
#include "tools/exit_code.h"
#include "tools/output_format.h"
#include "tools/verb.h"

namespace siltstone::tools {

// Options that every verb takes, before it or after it.
struct GlobalOptions {
  std::string database_path;
  OutputFormat format = OutputFormat::kAuto;
  bool quiet = false;
  DatabaseOptions database = {};
};

// A command line that has been understood: either a verb to run, or a text to print.
struct CommandLine {
  GlobalOptions globals;
  const Verb* verb = nullptr;
  Arguments arguments;
  std::string text;  // help or version; when not empty there is nothing to run
};

enum class CommandScope {
  kProgram,
  kShell,  // a line of the shell: the database and how it is opened are given already
};

// Understands `words` (without the program's name).
//
//   options     --name VALUE, --name=VALUE, -n VALUE, -nVALUE; they end at "--"
//   operands    everything else; "-" is one. One that begins with "-" must stand behind "--", but for the
//               value of put, which may be anything that is not spelled out as an option
//
// `globals` holds what was set before: the environment's database, or the shell's options. A fault is
// Verdict::Usage. `verbs` must outlive the result.
Verdict ParseCommandLine(std::vector<std::string> words, std::span<const Verb> verbs,
                         CommandScope scope, const GlobalOptions& globals, CommandLine* out);

// The help of the program: all verbs and the global options.
std::string ProgramHelp(std::span<const Verb> verbs, CommandScope scope);

}  // namespace siltstone::tools
