#include "tools/import_loop.h"

#include "base/status_macros.h"
#include "tools/interrupt.h"
#include "tools/progress.h"

namespace siltstone::tools {
namespace {

// Enough to make the cost of a write small, little enough to be nothing beside a memtable.
constexpr size_t kBatchBytes = size_t{1} << 20;

absl::Status WriteRecords(DB& db, WriteBatch& batch, Durability durability,
                          ImportProgress* progress) {
  SILTSTONE_RETURN_IF_ERROR(db.Write(batch, {.durability = durability}));
  progress->records_written += batch.count();
  batch.Clear();
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportRecords(RecordReader& reader, DB& db, ImportProgress* progress) {
  Progress shown("imported");
  WriteBatch batch;
  Record record;
  while (true) {
    SILTSTONE_RETURN_IF_ERROR(CheckInterrupt());
    absl::StatusOr<bool> more = reader.Next(&record);
    progress->input_at_fault = !more.ok();
    if (!more.ok()) return more.status();
    if (!*more) break;
    ++progress->records_read;
    shown.Advance();
    // Written late, so that the last batch, which carries the sync, is never empty.
    if (batch.size_bytes() >= kBatchBytes) {
      SILTSTONE_RETURN_IF_ERROR(WriteRecords(db, batch, Durability::kBuffered, progress));
    }
    batch.Put(record.key, record.value);
  }
  return batch.empty() ? absl::OkStatus() : WriteRecords(db, batch, Durability::kSync, progress);
}

absl::Status CheckRecords(RecordReader& reader, ImportProgress* progress) {
  Progress shown("checked");
  Record record;
  while (true) {
    SILTSTONE_RETURN_IF_ERROR(CheckInterrupt());
    absl::StatusOr<bool> more = reader.Next(&record);
    progress->input_at_fault = !more.ok();
    if (!more.ok() || !*more) return more.status();
    ++progress->records_read;
    shown.Advance();
  }
}

}  // namespace siltstone::tools
