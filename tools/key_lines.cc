#include "tools/key_lines.h"

#include <optional>
#include <utility>

#include "tools/bytes_text.h"

namespace siltstone::tools {

absl::StatusOr<bool> KeyLines::Next(std::string* key) {
  absl::StatusOr<bool> more = input_.ReadLine(key, form_ == KeyForm::kNulEnded ? '\0' : '\n');
  if (!more.ok() || !*more || form_ != KeyForm::kHexLines) return more;
  std::optional<std::string> bytes = FromHex(*key);
  if (!bytes) {
    return absl::DataLossError("key " + Quoted(*key) + " is not an even number of hex digits," +
                               input_.LinePlace());
  }
  *key = *std::move(bytes);
  return true;
}

}  // namespace siltstone::tools
