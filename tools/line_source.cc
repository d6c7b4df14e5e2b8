#include "tools/line_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <histedit.h>

#include "tools/input.h"
#include "tools/interrupt.h"
#include <wchar.h>

namespace siltstone::tools {
namespace {

constexpr int kHistoryLines = 1000;

class StdinLines : public LineSource {
 public:
  explicit StdinLines(std::unique_ptr<Input> input) : input_(std::move(input)) {}

  absl::StatusOr<bool> Next(std::string* line) override { return input_->ReadLine(line); }

 private:
  std::unique_ptr<Input> input_;
};

// The path of the history; empty where it cannot be written. Made readable by its owner alone, because it
// holds values.
std::string WritableHistoryPath() {
  const char* home = getenv("HOME");
  if (home == nullptr || *home == '\0') return "";
  std::string path = std::string(home) + "/.kvtool_history";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return "";
  close(fd);
  return path;
}

// The editor of the terminal. The prompt and the echo go to stderr: stdout is for data. Lives as long as the
// process, because el_end loses the names of functions that were added.
EditLine* TerminalEditor() {
  static EditLine* const kEditor = el_init("kvtool", stdin, stderr, stderr);
  return kEditor;
}

// One at a time.
class TerminalLines : public LineSource {
 public:
  TerminalLines(std::string prompt, std::vector<std::string> verbs)
      : prompt_(std::move(prompt)), verbs_(std::move(verbs)), history_path_(WritableHistoryPath()) {
    HistEvent event;
    history_ = history_init();
    history(history_, &event, H_SETSIZE, kHistoryLines);
    history(history_, &event, H_SETUNIQUE, 1);
    if (!history_path_.empty()) history(history_, &event, H_LOAD, history_path_.c_str());
    edit_ = TerminalEditor();
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &TerminalLines::Prompt);
    el_set(edit_, EL_GETCFN, &TerminalLines::ReadCharacter);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_ADDFN, "complete-verb", "Complete the verb", &TerminalLines::Complete);
    el_set(edit_, EL_BIND, "^I", "complete-verb", nullptr);
    el_source(edit_, nullptr);
  }

  ~TerminalLines() override {
    HistEvent event;
    if (!history_path_.empty()) history(history_, &event, H_SAVE, history_path_.c_str());
    el_reset(edit_);
    el_set(edit_, EL_HIST, nullptr, nullptr);
    history_end(history_);
  }

  absl::StatusOr<bool> Next(std::string* line) override {
    int length = 0;
    const char* text = el_gets(edit_, &length);
    if (Interrupted()) {
      el_reset(edit_);
      fputs("^C\n", stderr);
      return absl::CancelledError("interrupted");
    }
    if (text == nullptr || length <= 0) {
      fputc('\n', stderr);
      return false;
    }
    line->assign(text, static_cast<size_t>(length));
    if (line->ends_with('\n')) line->pop_back();
    HistEvent event;
    if (line->find_first_not_of(" \t") != std::string::npos) {
      history(history_, &event, H_ENTER, line->c_str());
    }
    return true;
  }

 private:
  static TerminalLines* Self(EditLine* edit) {
    void* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return static_cast<TerminalLines*>(self);
  }

  static char* Prompt(EditLine* edit) { return Self(edit)->prompt_.data(); }

  // As the editor's own, but that SIGINT is never missed: it comes between two reads, too. 1: a character, 0: the
  // end, -1: an error or SIGINT.
  static int ReadCharacter(EditLine*, wchar_t* character) {
    char bytes[MB_LEN_MAX];
    size_t size = 0;
    while (WaitToRead(STDIN_FILENO).ok()) {
      const ssize_t count = read(STDIN_FILENO, bytes + size, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return static_cast<int>(count);
      mbstate_t state = {};
      const size_t length = mbrtowc(character, bytes, ++size, &state);
      if (length <= 1 || length == size) return 1;
      // More bytes are needed, or what there is belongs to no character and is passed over.
      if (length == static_cast<size_t>(-1) || size == sizeof bytes) size = 0;
    }
    return -1;
  }

  static unsigned char Complete(EditLine* edit, int) {
    const LineInfo* info = el_line(edit);
    const std::string_view start(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
    std::string whole = CompleteVerb(start, Self(edit)->verbs_);
    if (whole.size() <= start.size()) return CC_REFRESH_BEEP;
    el_insertstr(edit, whole.c_str() + start.size());
    return CC_REFRESH;
  }

  std::string prompt_;
  const std::vector<std::string> verbs_;
  const std::string history_path_;
  History* history_;
  EditLine* edit_;
};

}  // namespace

std::unique_ptr<LineSource> NewStdinLines() {
  return std::make_unique<StdinLines>(*Input::Open("-"));
}

std::unique_ptr<LineSource> NewTerminalLines(std::string prompt, std::vector<std::string> verbs) {
  return std::make_unique<TerminalLines>(std::move(prompt), std::move(verbs));
}

std::string CompleteVerb(std::string_view start, const std::vector<std::string>& verbs) {
  std::string common;
  bool any = false;
  for (const std::string& verb : verbs) {
    if (!verb.starts_with(start)) continue;
    const std::string candidate = verb + ' ';
    const auto end =
        std::mismatch(common.begin(), common.end(), candidate.begin(), candidate.end());
    common = any ? std::string(common.begin(), end.first) : candidate;
    any = true;
  }
  return common;
}

}  // namespace siltstone::tools
