#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "tools/bytes_text.h"

namespace siltstone::tools {

// Options bound so that their bytes reach us unchanged: CLI11's own conversions give some values a meaning
// (empty ones, "{}"), and those are values like any other here.

// An option whose text `parse` turns into an optional of the target's type; nothing is a usage fault that
// names `expected`.
template <typename Target, typename Parse>
CLI::Option* BindOption(CLI::App& app, const std::string& names, Target& target, Parse parse,
                        const std::string& type, const std::string& expected,
                        const std::string& description) {
  const auto store = [&target, parse, names, expected](const CLI::results_t& results) {
    auto value = parse(results.front());
    if (!value) {
      throw CLI::ValidationError(names, Quoted(results.front()) + " is not " + expected);
    }
    target = *std::move(value);
    return true;
  };
  return app.add_option(names, store, description)->type_name(type)->type_size(1);
}

// An option that takes any bytes.
inline CLI::Option* BindBytes(CLI::App& app, const std::string& names,
                              std::optional<std::string>& target, const std::string& type,
                              const std::string& description) {
  const auto take = [](const std::string& text) { return std::optional<std::string>(text); };
  return BindOption(app, names, target, take, type, "bytes", description);
}

}  // namespace siltstone::tools
