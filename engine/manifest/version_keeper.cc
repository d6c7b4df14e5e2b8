#include "engine/manifest/version_keeper.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "engine/manifest/file_names.h"
#include "engine/manifest/version_builder.h"

namespace siltstone {
namespace {

// A manifest that has grown to this, and to a multiple of what it began with, is renewed.
constexpr uint64_t kRenewBytes = uint64_t{1} << 20;
constexpr uint64_t kRenewFactor = 8;

}  // namespace

VersionKeeper::VersionKeeper(VersionKeeperOptions options, ManifestState state,
                             std::shared_ptr<const Version> version, uint64_t next_file_number)
    : options_(std::move(options)),
      next_file_number_(next_file_number),
      state_(std::move(state)),
      version_(std::move(version)) {}

absl::Status VersionKeeper::Install(
    const VersionEdit& edit, std::span<const std::shared_ptr<Table>> tables,
    const std::function<void(const std::shared_ptr<const Version>&)>& publish) {
  MutexLock install_lock(install_mutex_);
  ManifestState next_state = state();
  VersionEdit recorded = edit;
  recorded.next_file_number = next_file_number_.load(std::memory_order_relaxed);
  // Before anything is written: an edit that does not fit must not reach the disk.
  SILTSTONE_RETURN_IF_ERROR(next_state.Apply(recorded, options_.order));
  const std::shared_ptr<const Version> base = current();
  absl::StatusOr<std::shared_ptr<const Version>> version =
      BuildVersion(options_.order, *base, recorded, tables);
  if (!version.ok()) return version.status();
  SILTSTONE_RETURN_IF_ERROR((*version)->CheckInvariants());
  SILTSTONE_RETURN_IF_ERROR(Record(recorded, next_state));
  {
    MutexLock lock(mutex_);
    state_ = std::move(next_state);
    version_ = *version;
  }
  publish(*version);
  return absl::OkStatus();
}

absl::Status VersionKeeper::Record(const VersionEdit& edit, const ManifestState& next_state) {
  if (writer_ != nullptr &&
      writer_->size_bytes() < std::max(kRenewBytes, kRenewFactor * first_size_bytes_)) {
    const absl::Status appended = writer_->Append(edit);
    if (appended.ok()) return appended;
  }
  // Whether a failed append reached the disk is not known. Both states may be found after a crash until the
  // new manifest is in force, so nothing that either of them names may go.
  options_.hold_deletions();
  SILTSTONE_RETURN_IF_ERROR(Renew(next_state));
  options_.release_deletions();
  return absl::OkStatus();
}

absl::Status VersionKeeper::Renew(const ManifestState& state) {
  writer_.reset();
  const uint64_t number = NewFileNumber();
  VersionEdit snapshot = SnapshotOf(state);
  snapshot.epoch = options_.epoch;
  snapshot.next_file_number = number + 1;
  absl::StatusOr<std::unique_ptr<ManifestWriter>> writer =
      ManifestWriter::Create(*options_.file_system, options_.directory, {options_.epoch, number},
                             options_.database_id, snapshot);
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  first_size_bytes_ = writer_->size_bytes();
  if (manifest_.InRange()) options_.obsolete_sink(ManifestFileName(manifest_));
  manifest_ = {options_.epoch, number};
  return absl::OkStatus();
}

FileId VersionKeeper::manifest() const {
  MutexLock install_lock(install_mutex_);
  return manifest_;
}

std::shared_ptr<const Version> VersionKeeper::current() const {
  MutexLock lock(mutex_);
  return version_;
}

ManifestState VersionKeeper::state() const {
  MutexLock lock(mutex_);
  return state_;
}

}  // namespace siltstone
