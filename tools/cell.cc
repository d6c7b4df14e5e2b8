#include "tools/cell.h"

#include <stdio.h>

#include "absl/strings/escaping.h"

#include "base/to_absl.h"
#include "tools/bytes_text.h"

namespace siltstone::tools {
namespace {

std::string Format(const char* format, int decimals, double number) {
  char text[64];
  snprintf(text, sizeof text, format, decimals, number);
  return text;
}

}  // namespace

Cell Cell::Bytes(std::string_view bytes) {
  Cell cell(BytesToJson(bytes), std::string(bytes), Printable(bytes));
  cell.is_bytes_ = true;
  return cell;
}

Cell Cell::Count(uint64_t count) {
  const std::string text = std::to_string(count);
  return Cell(Json(count), text, text);
}

Cell Cell::Size(uint64_t size_bytes) {
  return Cell(Json(size_bytes), std::to_string(size_bytes), HumanSize(size_bytes));
}

Cell Cell::Share(double share, int human_digits) {
  const double percent = 100 * share;
  // Significant digits, so that 0.0123 % does not read as 0.
  const std::string human = percent == 0 ? "0" : Format("%.*g", human_digits, percent);
  return Cell(Json(share), Format("%.*g", 6, share), human + " %");
}

Cell Cell::Number(double number, int decimals) {
  const std::string text = Format("%.*f", decimals, number);
  return Cell(Json(number), text, text);
}

Json BytesToJson(std::string_view bytes) {
  if (IsUtf8(bytes)) return Json(std::string(bytes));
  Json object;
  object["base64"] = absl::Base64Escape(ToAbsl(bytes));
  return object;
}

std::optional<std::string> BytesFromJson(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object() || json.size() != 1) return std::nullopt;
  const auto base64 = json.find("base64");
  if (base64 == json.end() || !base64->is_string()) return std::nullopt;
  std::string bytes;
  if (!absl::Base64Unescape(base64->get<std::string>(), &bytes)) return std::nullopt;
  return bytes;
}

std::string HumanSize(uint64_t size_bytes) {
  if (size_bytes < 1024) return std::to_string(size_bytes) + " B";
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(size_bytes) / 1024;
  size_t unit = 0;
  while (size >= 1023.5 && unit + 1 < std::size(kUnits)) {
    size /= 1024;
    ++unit;
  }
  return Format("%.*f", size < 10 ? 2 : size < 100 ? 1 : 0, size) + " " + kUnits[unit];
}

}  // namespace siltstone::tools
