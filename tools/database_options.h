#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "siltstone/options.h"

namespace siltstone::tools {

// What the command line says about how a database is created and opened; unset members keep the defaults.
struct DatabaseOptions {
  std::optional<double> fp_chance;
  std::optional<FilterKind> filter_kind;
  std::optional<FilterAllocation> filter_allocation;
  std::optional<Compression> compression;
  std::optional<uint64_t> memory_budget_bytes;
  std::optional<uint64_t> write_buffer_bytes;
  std::optional<uint64_t> block_size_bytes;
  std::optional<Durability> durability;

  bool any() const;
  // Sets what is set. A memory budget alone also makes the write buffer at most a quarter of it.
  void ApplyTo(Options* options) const;
};

// The forms that the options take on the command line; nothing for anything else.
//   a size: digits, then nothing or one of K M G T (powers of 1024), also as KiB or KB
std::optional<uint64_t> ParseSize(std::string_view text);
std::optional<uint64_t> ParseCount(std::string_view text);
std::optional<double> ParseChance(std::string_view text);  // 0 < p <= 1
std::optional<FilterKind> ParseFilterKind(std::string_view text);
std::optional<FilterAllocation> ParseFilterAllocation(std::string_view text);
std::optional<Compression> ParseCompression(std::string_view text);
std::optional<Durability> ParseDurability(std::string_view text);

}  // namespace siltstone::tools
