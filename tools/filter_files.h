#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "siltstone/filter.h"

#include "tools/exit_code.h"
#include "tools/output.h"

namespace siltstone::tools {

// Filter files by the names that people give; "-" is stdin and stdout.

inline constexpr std::array kFilterFileKinds = {
    Filter::Kind::kStandardBloom, Filter::Kind::kBloom,  Filter::Kind::kRibbon,
    Filter::Kind::kCountingBloom, Filter::Kind::kCuckoo, Filter::Kind::kScalableBloom,
    Filter::Kind::kExact,
};

// Kinds by the names that --kind takes: "standard, bloom, ...".
std::optional<Filter::Kind> ParseFilterFileKind(std::string_view name);
std::string FilterFileKindNames();

// Reads a filter. Verdicts: cannot open for a file that is not there or of a version of the future,
// bad data for a damaged one or one that is no filter.
Verdict ReadFilterFile(const std::string& path, std::unique_ptr<Filter>* filter);

// Replaces the file as a whole, and nothing that is there and no regular file; on stdout, which
// must be no terminal, writes the same bytes.
Verdict WriteFilterFile(const Filter& filter, const std::string& path, Output& output);

// The verdict on a filter that cannot be made.
Verdict FilterNotMade(const absl::Status& status);

}  // namespace siltstone::tools
