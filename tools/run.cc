#include "tools/run.h"

#include <stdio.h>
#include <unistd.h>

#include <memory>
#include <new>
#include <utility>

#include "tools/command_line.h"
#include "tools/interrupt.h"
#include "tools/output.h"
#include "tools/session.h"
#include "tools/shell.h"
#include "tools/verb_lookup.h"
#include "tools/verb_table.h"

namespace siltstone::tools {
namespace {

void Tell(const Verdict& verdict) {
  if (verdict.message.empty()) return;
  fprintf(stderr, "kvtool: %s\n", verdict.message.c_str());
  if (!verdict.hint.empty()) fprintf(stderr, "hint: %s\n", verdict.hint.c_str());
}

// What is left of a verdict once the output is written: a reader that has had enough is no fault,
// but any other error of stdout is one.
Verdict FinishOutput(Output& output, Verdict verdict) {
  const absl::Status status = output.Flush();
  if (status.ok() || verdict.failed() || output.reader_gone()) return verdict;
  return Verdict::Failed(status);
}

Verdict RunVerb(const CommandLine& command, Session& session, Output& output, bool in_shell) {
  const Verb& verb = *command.verb;
  if (Verdict opened = session.Open(verb.access); opened.failed()) return opened;
  VerbContext context = {.session = session,
                         .output = output,
                         .format = command.globals.format,
                         .arguments = command.arguments,
                         .says_notes = !command.globals.quiet,
                         .in_shell = in_shell};
  return FinishOutput(output, verb.run(context));
}

Verdict RunShellLine(std::vector<std::string> words, const GlobalOptions& globals, Session& session,
                     Output& output) {
  CommandLine command;
  Verdict verdict =
      ParseCommandLine(std::move(words), ShellVerbs(), CommandScope::kShell, globals, &command);
  if (!verdict.failed() && !command.text.empty()) {
    output.Write(command.text);
    verdict = FinishOutput(output, Verdict::Yes());
  } else if (!verdict.failed()) {
    verdict = RunVerb(command, session, output, true);
  }
  Tell(verdict);
  return verdict;
}

Verdict RunShellVerb(const GlobalOptions& globals, Session& session, Output& output) {
  const bool is_interactive = isatty(STDIN_FILENO) == 1;
  std::unique_ptr<LineSource> lines;
  if (is_interactive) {
    std::vector<std::string> names = {"help", "exit"};
    for (std::string& word : FirstWords(ShellVerbs())) names.push_back(std::move(word));
    lines = NewTerminalLines("kvtool> ", std::move(names));
  } else {
    lines = NewStdinLines();
  }
  const auto run = [&](std::vector<std::string> words) {
    return RunShellLine(std::move(words), globals, session, output);
  };
  return RunShell({.lines = *lines, .is_interactive = is_interactive, .run = run, .tell = Tell});
}

Verdict RunCommand(const CommandLine& command, Output& output) {
  if (!command.text.empty()) {
    output.Write(command.text);
    return FinishOutput(output, Verdict::Yes());
  }
  Session session(command.globals.database_path, command.globals.database, !command.globals.quiet);
  const Verdict verdict = command.verb->run == nullptr
                              ? RunShellVerb(command.globals, session, output)
                              : RunVerb(command, session, output, false);
  Verdict closed = session.Close();
  if (!closed.failed()) return verdict;
  if (!verdict.failed()) return closed;
  Tell(closed);
  return verdict;
}

}  // namespace

ExitCode RunKvtool(std::vector<std::string> words, const std::string& default_database) {
  Output output(STDOUT_FILENO);
  CommandLine command;
  const GlobalOptions globals = {.database_path = default_database};
  Verdict verdict =
      ParseCommandLine(std::move(words), AllVerbs(), CommandScope::kProgram, globals, &command);
  if (!verdict.failed()) verdict = RunCommand(command, output);
  Tell(verdict);
  return verdict.code;
}

}  // namespace siltstone::tools
