#include "engine/db_log.h"

#include "base/status_macros.h"
#include "engine/manifest/file_names.h"

namespace siltstone {

absl::StatusOr<std::unique_ptr<LogWriter>> CreateWal(const DbShared& shared,
                                                     const LogLocation& predecessor) {
  LogHeader header;
  header.kind = LogKind::kWal;
  header.database_id = shared.database_id;
  header.epoch = shared.epoch;
  header.number = shared.versions->NewFileNumber();
  header.predecessor_number = predecessor.number;
  header.predecessor_sealed_size = predecessor.size_bytes;
  const std::string path = PathInDirectory(shared.path, LogFileName({shared.epoch, header.number}));
  absl::StatusOr<std::unique_ptr<LogWriter>> log =
      LogWriter::Create(*shared.file_system, header, path, shared.limits.log_allocation_bytes);
  if (!log.ok()) return log.status();
  SILTSTONE_RETURN_IF_ERROR(shared.file_system->SyncDirectory(shared.path));
  return log;
}

}  // namespace siltstone
