#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "engine/db_background.h"
#include "engine/db_shared.h"
#include "engine/wal/log_writer.h"
#include "engine/write/write_queue.h"
#include "engine/write/write_stall.h"

namespace siltstone {

// The write path of an open database: Put → stall policy → group commit → log → memtable → readable.
//
// Invariants:
//   I1. An entry becomes readable only after its log record has the durability that was asked for.
//   I2. The active memtable's id is the number of the log that holds its entries.
//   I3. A log is synced before its successor's header and the manifest state its final length.
//
// Thread-safe. The log, the active memtable and the last sequence number belong to whoever leads the
// queue; they need no lock of their own.
class DbWriter {
 public:
  // `log` is null for a database without logs (Durability::kNone).
  DbWriter(DbShared& shared, DbBackground& background, std::unique_ptr<LogWriter> log);

  absl::Status Write(const WriteBatch& batch, const WriteOptions& options);
  absl::StatusOr<bool> PutIfAbsent(std::string_view key, std::string_view value,
                                   const WriteOptions& options);

  // Closes the active memtable, unless it is empty, so that a flush takes it. Answers the id of the newest
  // memtable that was closed so far, for DbBackground::WaitForFlush.
  absl::StatusOr<uint64_t> CloseMemtable();

  // See DB::Resume.
  absl::Status Resume();

  // Syncs the log and states its length in the manifest. No write may follow.
  absl::Status Close();

 private:
  absl::StatusOr<Durability> DurabilityOf(const WriteOptions& options) const;
  absl::Status CheckWritable() const;

  // All below run as the queue's leader.
  void CommitGroup(std::span<PendingWrite* const> group);
  absl::Status AppendToLog(std::span<PendingWrite* const> accepted, SequenceNumber first_sequence);
  void InsertIntoMemtable(std::span<PendingWrite* const> accepted, SequenceNumber first_sequence);
  // Whether a key that was absent at the write's checked_sequence has been written since.
  absl::StatusOr<bool> WrittenSince(const PendingWrite& write) const;
  absl::Status MakeRoom(size_t bytes);
  absl::Status SwitchMemtable();
  // Makes the active memtable immutable and an empty one with this id active.
  void CloseActiveMemtable(uint64_t next_id);
  std::shared_ptr<MemTable> ActiveMemtable() const;
  absl::Status ResumeAsLeader();

  DbShared& shared_;
  DbBackground& background_;
  WriteQueue queue_;
  std::unique_ptr<LogWriter> log_;
  SequenceNumber last_sequence_;
  WritePacer pacer_;
  uint64_t newest_closed_memtable_ = 0;
  std::string payload_;  // of the group being committed; kept for its memory
};

}  // namespace siltstone
