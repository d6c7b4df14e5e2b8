#include "engine/manifest/manifest_writer.h"

#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "engine/manifest/current_file.h"

namespace siltstone {
namespace {

bool IsSnapshot(const VersionEdit& edit) {
  return edit.comparator_name.has_value() && edit.table_options.has_value() &&
         edit.last_sequence.has_value() && edit.next_file_number.has_value() &&
         edit.epoch.has_value();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ManifestWriter>> ManifestWriter::Create(
    FileSystem& file_system, std::string_view directory, FileId id, const TableId& database_id,
    const VersionEdit& snapshot) {
  SILTSTONE_NEVER(!id.InRange() || database_id.is_zero(), "manifest without an id");
  SILTSTONE_NEVER(!IsSnapshot(snapshot) || *snapshot.epoch != id.epoch,
                  "first edit of a manifest is no snapshot of its epoch");
  LogHeader header;
  header.kind = LogKind::kManifest;
  header.database_id = database_id;
  header.epoch = id.epoch;
  header.number = id.number;
  absl::StatusOr<std::unique_ptr<LogWriter>> log = LogWriter::Create(
      file_system, header, PathInDirectory(directory, ManifestFileName(id)), kAllocationBytes);
  if (!log.ok()) return log.status();
  std::unique_ptr<ManifestWriter> writer(new ManifestWriter(id, *std::move(log)));
  SILTSTONE_RETURN_IF_ERROR(writer->Append(snapshot));
  SILTSTONE_RETURN_IF_ERROR(file_system.SyncDirectory(directory));
  SILTSTONE_RETURN_IF_ERROR(WriteCurrent(file_system, directory, {id, database_id}));
  return writer;
}

absl::Status ManifestWriter::Append(const VersionEdit& edit) {
  SILTSTONE_NEVER(next_ordinal_ > 1 && (edit.comparator_name.has_value() ||
                                        edit.table_options.has_value() || edit.epoch.has_value()),
                  "later edit of a manifest with what only its first may hold");
  const std::string payload = EncodeVersionEdit(edit);
  // An edit that no reader takes would lose the database at the next open.
  const absl::StatusOr<VersionEdit> read_back = DecodeVersionEdit(payload);
  if (!read_back.ok()) return absl::InternalError(read_back.status().message());
  SILTSTONE_NEVER(*read_back != edit, "version edit does not read back as it was");
  SILTSTONE_RETURN_IF_ERROR(log_->Append(payload, next_ordinal_));
  ++next_ordinal_;
  return log_->Sync();
}

}  // namespace siltstone
