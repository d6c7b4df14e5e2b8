#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "siltstone/options.h"

namespace siltstone::tools {

// What the manifest of a database says about how it was last opened for writing.
struct RecordedOptions {
  std::string comparator_name;
  FilterKind filter_kind = FilterKind::kBloom;
  double bloom_filter_fp_chance = 0.01;
  Compression compression = Compression::kLz4;
  FilterAllocation filter_allocation = FilterAllocation::kUniform;

  void ApplyTo(Options* options) const;
};

// Reads CURRENT and the manifest; opens nothing and takes no lock, so a writer may go on beside it.
// Errors: those of the two files; NotFound where there is no database.
absl::StatusOr<RecordedOptions> ReadRecordedOptions(const std::string& path);

}  // namespace siltstone::tools
