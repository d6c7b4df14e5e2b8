#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace siltstone {

// Abseil may be built so that its string_view is a type of its own, which std::string_view does not
// convert to. Every view that goes to Abseil passes through here:
//
//   return absl::DataLossError(absl::StrCat("bad magic, in ", ToAbsl(file_name)));
inline absl::string_view ToAbsl(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// The way back, e.g. for absl::Status::message().
inline std::string_view FromAbsl(absl::string_view bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace siltstone
