#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

#include "base/checksum.h"
#include "engine/manifest/version_edit.h"
#include "engine/wal/log_writer.h"

namespace siltstone {

// Writes one manifest: a log of version edits, the first of them a snapshot of the whole state.
//
// Format: FORMAT.md "Manifest", M4 and M6 to M8.
//
// Invariants:
//   I1. CURRENT names the manifest only after its snapshot and its name are durable.
//   I2. Every edit that is written reads back as it was.
//   I3. After an error nothing more is written to the file. What the failed call wrote may or may not be found by
//       the next open: begin a new manifest with the whole state, and keep the files of both until it is there.
//
// Thread safety: thread-compatible. Cost: Append is one file append and one sync.
class ManifestWriter {
 public:
  // Allocated at first; growth is the log's.
  static constexpr uint64_t kAllocationBytes = 65536;

  // Creates the file, writes `snapshot`, syncs file and directory, then switches CURRENT to it. After an error CURRENT
  // may name the old manifest or this one.
  static absl::StatusOr<std::unique_ptr<ManifestWriter>> Create(FileSystem& file_system,
                                                                std::string_view directory,
                                                                FileId id,
                                                                const TableId& database_id,
                                                                const VersionEdit& snapshot);

  // Durable when it returns OK.
  absl::Status Append(const VersionEdit& edit);

  // Without a sync: all is durable already.
  absl::Status Close() { return log_->Close(); }

  uint64_t size_bytes() const { return log_->size_bytes(); }
  std::string file_name() const { return ManifestFileName(id_); }
  FileId id() const { return id_; }

 private:
  ManifestWriter(FileId id, std::unique_ptr<LogWriter> log) : id_(id), log_(std::move(log)) {}

  const FileId id_;
  const std::unique_ptr<LogWriter> log_;
  uint64_t next_ordinal_ = 1;  // of the next edit
};

}  // namespace siltstone
