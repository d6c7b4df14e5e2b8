#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace siltstone::tools {

// JSON whose members keep the order they were added in.
using Json = nlohmann::ordered_json;

// One value of a table or report, in the three forms that output formats need.
//
//   Cell::Bytes(key)  Cell::Count(17)  Cell::Size(4096)  Cell::Share(0.01)  Cell::Nothing()
//
// Immutable.
class Cell {
 public:
  // Any bytes; only these are escaped.
  static Cell Bytes(std::string_view bytes);
  // Text of kvtool's own: names, messages.
  static Cell Text(std::string text) { return Cell(Json(text), text, text); }
  static Cell Count(uint64_t count);
  // Bytes, which people get with a unit.
  static Cell Size(uint64_t size_bytes);
  // A probability, which people get in percent.
  static Cell Share(double share, int human_digits = 3);
  static Cell Number(double number, int decimals);
  // No value: null, empty, or "-".
  static Cell Nothing() { return Cell(Json(nullptr), "", "-"); }

  bool is_bytes() const { return is_bytes_; }
  // The bytes themselves, or the exact text of a number.
  const std::string& plain() const { return plain_; }
  // For people; printable.
  const std::string& human() const { return human_; }
  // Bytes that are not UTF-8 are {"base64": "..."}.
  const Json& json() const { return json_; }

 private:
  Cell(Json json, std::string plain, std::string human)
      : json_(std::move(json)), plain_(std::move(plain)), human_(std::move(human)) {}

  Json json_;
  std::string plain_;
  std::string human_;
  bool is_bytes_ = false;
};

// Bytes in JSON: a string when they are UTF-8, {"base64": "..."} otherwise.
Json BytesToJson(std::string_view bytes);
// The reverse; nothing for any other JSON.
std::optional<std::string> BytesFromJson(const Json& json);

// "4.00 KiB"
std::string HumanSize(uint64_t size_bytes);

}  // namespace siltstone::tools
