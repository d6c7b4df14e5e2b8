#include "tools/recorded_options.h"

#include "siltstone/file_system.h"

#include "engine/manifest/current_file.h"
#include "engine/manifest/manifest_reader.h"

namespace siltstone::tools {
namespace {

// A writer replaces the manifest now and then; the one that CURRENT named may be gone when it is read.
constexpr int kAttempts = 10;

}  // namespace

void RecordedOptions::ApplyTo(Options* options) const {
  options->bloom_filter_fp_chance = bloom_filter_fp_chance;
  options->filter_kind = filter_kind;
  options->compression = compression;
  options->filter_allocation = filter_allocation;
}

absl::StatusOr<RecordedOptions> ReadRecordedOptions(const std::string& path) {
  const std::shared_ptr<FileSystem> file_system = PosixFileSystem();
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const absl::StatusOr<CurrentFile> current = ReadCurrent(*file_system, path);
    if (!current.ok()) return current.status();
    const absl::StatusOr<ManifestState> state =
        ReadManifest(*file_system, path, *current, {.live = true}, /*lost=*/nullptr);
    if (state.ok()) {
      return RecordedOptions{.comparator_name = state->comparator_name,
                             .filter_kind = state->table_options.filter_kind,
                             .bloom_filter_fp_chance = state->table_options.bloom_filter_fp_chance,
                             .compression = state->table_options.compression,
                             .filter_allocation = state->table_options.filter_allocation};
    }
    status = state.status();
    if (!absl::IsNotFound(status)) break;
  }
  return status;
}

}  // namespace siltstone::tools
