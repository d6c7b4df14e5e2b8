#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"

#include "siltstone/file_system.h"

#include "base/checksum.h"
#include "base/mutex.h"
#include "engine/manifest/manifest_state.h"
#include "engine/manifest/manifest_writer.h"
#include "engine/manifest/version.h"
#include "engine/manifest/version_edit.h"

namespace siltstone {

// Where and as what manifests are written.
struct VersionKeeperOptions {
  std::shared_ptr<FileSystem> file_system;
  std::string directory;
  KeyOrder order{BytewiseComparator()};
  TableId database_id;
  uint64_t epoch = 0;
  // Called around the time in which it is not certain which manifest is in force on disk.
  std::function<void()> hold_deletions;
  std::function<void()> release_deletions;
  // Gets the name of a manifest file that is no longer needed.
  std::function<void(const std::string& file_name)> obsolete_sink;
};

// Owns the current Version and the manifest that records it: edits are installed one after another, each
// durable before it is in force.
//
// Invariants:
//   I1. What the newest manifest says on disk and current() are the same state, or (after an error of Install)
//       the disk may be one edit ahead.
//   I2. After a failed write a manifest is never written to again; the next Install begins a new one, with a new
//       number, that holds the whole state. Manifests that grew to a multiple of their first size are renewed the
//       same way.
//   I3. File numbers given out are never given out again within the epoch.
//
// Thread-safe.
class VersionKeeper {
 public:
  // `state` and `version` describe the same tables. Writes nothing: the first Install
  // begins a manifest.
  VersionKeeper(VersionKeeperOptions options, ManifestState state,
                std::shared_ptr<const Version> version, uint64_t next_file_number);

  // Makes `edit` durable, then calls `publish` with the version that follows from it, still under the install
  // lock, so that versions are published in order. `tables` holds an open Table for every table the edit adds.
  // On error nothing is published.
  absl::Status Install(const VersionEdit& edit, std::span<const std::shared_ptr<Table>> tables,
                       const std::function<void(const std::shared_ptr<const Version>&)>& publish);

  uint64_t NewFileNumber() { return next_file_number_.fetch_add(1, std::memory_order_relaxed); }

  // The manifest written last; both zero before the first Install. Waits for an Install under way.
  FileId manifest() const;

  std::shared_ptr<const Version> current() const;
  // A copy of the state on record.
  ManifestState state() const;

 private:
  absl::Status Renew(const ManifestState& state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(install_mutex_);
  absl::Status Record(const VersionEdit& edit, const ManifestState& next_state)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(install_mutex_);

  const VersionKeeperOptions options_;
  std::atomic<uint64_t> next_file_number_;

  mutable Mutex install_mutex_;  // held during the I/O of an install
  std::unique_ptr<ManifestWriter> writer_ ABSL_GUARDED_BY(install_mutex_);
  FileId manifest_ ABSL_GUARDED_BY(install_mutex_);
  uint64_t first_size_bytes_ ABSL_GUARDED_BY(install_mutex_) = 0;

  mutable Mutex mutex_;  // taken after install_mutex_; never held during I/O
  ManifestState state_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const Version> version_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace siltstone
