#include "tools/shell.h"

#include <utility>

#include "tools/interrupt.h"
#include "tools/shell_words.h"

namespace siltstone::tools {
namespace {

Verdict RunLine(const ShellOptions& options, const std::string& line, bool* leave) {
  absl::StatusOr<std::vector<std::string>> words = SplitShellWords(line);
  if (!words.ok()) {
    Verdict verdict = Verdict::Usage(std::string(words.status().message()),
                                     R"(escapes are \\ \" \' \t \n \r \0 \xNN)");
    options.tell(verdict);
    return verdict;
  }
  if (words->empty()) return Verdict::Yes();
  if (words->size() == 1 && (words->front() == "exit" || words->front() == "quit")) {
    *leave = true;
    return Verdict::Yes();
  }
  return options.run(*std::move(words));
}

}  // namespace

Verdict RunShell(const ShellOptions& options) {
  Verdict first;
  std::string line;
  bool leave = false;
  while (!leave) {
    absl::StatusOr<bool> more = options.lines.Next(&line);
    if (!more.ok()) {
      if (!options.is_interactive) return Verdict::Failed(more.status());
      ForgetInterrupt();
      continue;
    }
    if (!*more) break;
    const Verdict verdict = RunLine(options, line, &leave);
    // A person stops a verb by SIGINT; a script is stopped whole.
    if (options.is_interactive) {
      ForgetInterrupt();
    } else if (verdict.code == ExitCode::kInterrupted) {
      return {verdict.code, "", ""};
    }
    if (verdict.failed() && !first.failed() && !options.is_interactive) first.code = verdict.code;
  }
  return first;
}

}  // namespace siltstone::tools
