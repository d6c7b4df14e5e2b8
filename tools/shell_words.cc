#include "tools/shell_words.h"

#include "tools/bytes_text.h"

namespace siltstone::tools {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view line) : rest_(line) {}

  absl::StatusOr<std::vector<std::string>> Run() {
    while (true) {
      while (!rest_.empty() && IsSpace(rest_[0])) rest_.remove_prefix(1);
      if (rest_.empty() || rest_[0] == '#') return std::move(words_);
      words_.emplace_back();
      absl::Status status = ReadWord();
      if (!status.ok()) return status;
    }
  }

 private:
  absl::Status ReadWord() {
    char quote = 0;
    while (!rest_.empty() && (quote != 0 || !IsSpace(rest_[0]))) {
      const char c = rest_[0];
      if (c == '\\' && quote != '\'') {
        absl::Status status = ReadEscape();
        if (!status.ok()) return status;
        continue;
      }
      rest_.remove_prefix(1);
      if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else {
        words_.back() += c;
      }
    }
    if (quote == 0) return absl::OkStatus();
    return absl::InvalidArgumentError(std::string("a quote ") + quote + " has no end");
  }

  absl::Status ReadEscape() {
    if (rest_.size() > 1 && (rest_[1] == ' ' || rest_[1] == '\'')) {
      words_.back() += rest_[1];
      rest_.remove_prefix(2);
      return absl::OkStatus();
    }
    const std::string_view escape = rest_.substr(0, rest_.substr(1).starts_with('x') ? 4 : 2);
    const std::optional<std::string> bytes = UnescapeField(escape);
    if (!bytes) return absl::InvalidArgumentError("unknown escape " + Printable(escape.substr(1)));
    words_.back() += *bytes;
    rest_.remove_prefix(escape.size());
    return absl::OkStatus();
  }

  std::string_view rest_;
  std::vector<std::string> words_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitShellWords(std::string_view line) {
  return WordSplitter(line).Run();
}

}  // namespace siltstone::tools
