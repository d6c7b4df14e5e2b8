#include "tools/batch_lines.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bytes_text.h"

namespace siltstone::tools {
namespace {

std::vector<std::string_view> SplitAtTabs(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

absl::Status Bad(const std::string& what, const Input& input) {
  return absl::DataLossError(what + "," + input.LinePlace());
}

absl::Status AddLine(std::string_view line, const Input& input, WriteBatch* batch) {
  const std::vector<std::string_view> fields = SplitAtTabs(line);
  const bool is_put = fields[0] == "put";
  if (!is_put && fields[0] != "del") {
    return Bad("expected put or del, found " + Quoted(fields[0]), input);
  }
  const size_t expected = is_put ? 3 : 2;
  if (fields.size() != expected) {
    return Bad("expected " + std::to_string(expected) + " fields between tabs, found " +
                   std::to_string(fields.size()),
               input);
  }
  const std::optional<std::string> key = UnescapeField(fields[1]);
  const std::optional<std::string> value = is_put ? UnescapeField(fields[2]) : std::string();
  if (!key || !value) return Bad("unknown escape", input);
  if (batch->size_bytes() + key->size() + value->size() >= WriteBatch::kMaxSizeBytes) {
    return Bad(
        "more than one batch holds (" + std::to_string(WriteBatch::kMaxSizeBytes) + " bytes)",
        input);
  }
  is_put ? batch->Put(*key, *value) : batch->Delete(*key);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadBatchLines(Input& input, WriteBatch* batch) {
  std::string line;
  while (true) {
    absl::StatusOr<bool> more = input.ReadLine(&line);
    if (!more.ok() || !*more) return more.status();
    std::string_view text = line;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    absl::Status status = AddLine(text, input, batch);
    if (!status.ok()) return status;
  }
}

}  // namespace siltstone::tools
