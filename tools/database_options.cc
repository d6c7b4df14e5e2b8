#include "tools/database_options.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace siltstone::tools {
namespace {

// How far a size's unit shifts it; nothing when there is no such unit.
std::optional<int> ShiftOfUnit(std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  static constexpr std::string_view kLetters = "KMGT";
  const char letter = unit[0] == 'k' ? 'K' : unit[0];
  const size_t place = kLetters.find(letter);
  unit.remove_prefix(1);
  if (place == std::string_view::npos || !(unit.empty() || unit == "B" || unit == "iB")) {
    return std::nullopt;
  }
  return 10 * (static_cast<int>(place) + 1);
}

}  // namespace

bool DatabaseOptions::any() const {
  return fp_chance || filter_kind || filter_allocation || compression || memory_budget_bytes ||
         write_buffer_bytes || block_size_bytes || durability;
}

void DatabaseOptions::ApplyTo(Options* options) const {
  if (fp_chance) options->bloom_filter_fp_chance = *fp_chance;
  if (filter_kind) options->filter_kind = *filter_kind;
  if (filter_allocation) options->filter_allocation = *filter_allocation;
  if (compression) options->compression = *compression;
  if (memory_budget_bytes) {
    options->memory_budget_bytes = *memory_budget_bytes;
    options->write_buffer_size_bytes =
        std::min<size_t>(options->write_buffer_size_bytes, *memory_budget_bytes / 4);
  }
  if (write_buffer_bytes) options->write_buffer_size_bytes = *write_buffer_bytes;
  if (block_size_bytes) options->block_size_bytes = *block_size_bytes;
  if (durability) options->durability = *durability;
}

std::optional<uint64_t> ParseCount(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<uint64_t> ParseSize(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<uint64_t> number = ParseCount(text.substr(0, digits));
  const std::optional<int> shift = ShiftOfUnit(text.substr(digits));
  if (!number || !shift) return std::nullopt;
  if (*number > std::numeric_limits<uint64_t>::max() >> *shift) return std::nullopt;
  return *number << *shift;
}

std::optional<double> ParseChance(std::string_view text) {
  double chance = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), chance);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(chance > 0 && chance <= 1)) return std::nullopt;
  return chance;
}

std::optional<FilterKind> ParseFilterKind(std::string_view text) {
  if (text == "bloom") return FilterKind::kBloom;
  if (text == "standard") return FilterKind::kStandardBloom;
  if (text == "ribbon") return FilterKind::kRibbon;
  if (text == "auto") return FilterKind::kAuto;
  return std::nullopt;
}

std::optional<FilterAllocation> ParseFilterAllocation(std::string_view text) {
  if (text == "uniform") return FilterAllocation::kUniform;
  if (text == "by-level") return FilterAllocation::kByLevel;
  return std::nullopt;
}

std::optional<Compression> ParseCompression(std::string_view text) {
  if (text == "none") return Compression::kNone;
  if (text == "lz4") return Compression::kLz4;
  return std::nullopt;
}

std::optional<Durability> ParseDurability(std::string_view text) {
  if (text == "sync") return Durability::kSync;
  if (text == "buffered") return Durability::kBuffered;
  return std::nullopt;
}

}  // namespace siltstone::tools
