#include "engine/db_writer.h"

#include <chrono>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/clock.h"
#include "base/epoch.h"
#include "base/status_macros.h"
#include "engine/db_log.h"
#include "engine/db_reader.h"
#include "engine/write/batch_codec.h"
#include "engine/write/write_stall.h"

namespace siltstone {
namespace {

constexpr size_t kMaxKeyBytes = size_t{64} << 20;
constexpr size_t kMaxValueBytes = size_t{1} << 30;

absl::Status CheckSizes(std::string_view key, std::string_view value) {
  if (key.size() > kMaxKeyBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("key of ", key.size(), " bytes, must be at most ", kMaxKeyBytes));
  }
  if (value.size() > kMaxValueBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("value of ", value.size(), " bytes, must be at most ", kMaxValueBytes));
  }
  return absl::OkStatus();
}

class SizeCheck final : public WriteBatch::Handler {
 public:
  void Put(std::string_view key, std::string_view value) override { Note(CheckSizes(key, value)); }
  void Delete(std::string_view key) override { Note(CheckSizes(key, {})); }
  const absl::Status& status() const { return status_; }

 private:
  void Note(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  absl::Status status_;
};

absl::Status CheckBatch(const WriteBatch& batch) {
  if (batch.size_bytes() > WriteBatch::kMaxSizeBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "batch of ", batch.size_bytes(), " bytes, must be at most ", WriteBatch::kMaxSizeBytes));
  }
  if (batch.size_bytes() <= kMaxKeyBytes) return absl::OkStatus();  // so are its keys and values
  SizeCheck check;
  batch.Iterate(check);
  return check.status();
}

// Adds the entries of a batch to a memtable, each with the next sequence number.
class MemtableInserter final : public WriteBatch::Handler {
 public:
  MemtableInserter(MemTable* memtable, SequenceNumber first_sequence)
      : memtable_(memtable), next_sequence_(first_sequence) {}
  void Put(std::string_view key, std::string_view value) override {
    user_bytes_ += key.size() + value.size();
    memtable_->Add(next_sequence_++, ValueType::kValue, key, value);
  }
  void Delete(std::string_view key) override {
    user_bytes_ += key.size();
    memtable_->Add(next_sequence_++, ValueType::kDeletion, key, {});
  }
  uint64_t user_bytes() const { return user_bytes_; }

 private:
  MemTable* memtable_;
  SequenceNumber next_sequence_;
  uint64_t user_bytes_ = 0;
};

// Which keys the group has written so far, for conditions of later members of the same group.
class GroupKeys final : public WriteBatch::Handler {
 public:
  explicit GroupKeys(KeyOrder order) : present_(Less{order}) {}
  void Put(std::string_view key, std::string_view) override { present_[key] = true; }
  void Delete(std::string_view key) override { present_[key] = false; }
  // Null: not written by the group.
  const bool* Find(std::string_view key) const {
    const auto found = present_.find(key);
    return found == present_.end() ? nullptr : &found->second;
  }

 private:
  struct Less {
    KeyOrder order;
    bool operator()(std::string_view a, std::string_view b) const {
      return order.CompareUserKeys(a, b) < 0;
    }
  };
  std::map<std::string_view, bool, Less> present_;
};

}  // namespace

DbWriter::DbWriter(DbShared& shared, DbBackground& background, std::unique_ptr<LogWriter> log)
    : shared_(shared),
      background_(background),
      queue_([this](std::span<PendingWrite* const> group) { CommitGroup(group); }),
      log_(std::move(log)),
      last_sequence_(shared.visible_sequence.load()) {}

absl::StatusOr<Durability> DbWriter::DurabilityOf(const WriteOptions& options) const {
  const Durability standard = shared_.options.durability;
  if (!options.durability.has_value()) return standard;
  if (standard == Durability::kNone || *options.durability == Durability::kNone) {
    return absl::InvalidArgumentError(
        "durability of a write: must be kSync or kBuffered, and unset in a database opened with "
        "kNone");
  }
  return *options.durability;
}

absl::Status DbWriter::CheckWritable() const {
  if (shared_.closed.load(std::memory_order_acquire)) {
    return absl::FailedPreconditionError(absl::StrCat("database ", shared_.path, " is closed"));
  }
  // No job makes room any more.
  if (background_.stopping()) {
    return absl::FailedPreconditionError(
        absl::StrCat("database ", shared_.path, " is being closed"));
  }
  if (!shared_.error.ok()) return shared_.error.Refusal();
  return absl::OkStatus();
}

absl::Status DbWriter::Write(const WriteBatch& batch, const WriteOptions& options) {
  SILTSTONE_RETURN_IF_ERROR(CheckBatch(batch));
  const absl::StatusOr<Durability> durability = DurabilityOf(options);
  if (!durability.ok()) return durability.status();
  PendingWrite write;
  write.batch = &batch;
  write.durability = *durability;
  return queue_.Commit(&write);
}

absl::StatusOr<bool> DbWriter::PutIfAbsent(std::string_view key, std::string_view value,
                                           const WriteOptions& options) {
  SILTSTONE_RETURN_IF_ERROR(CheckSizes(key, value));
  const absl::StatusOr<Durability> durability = DurabilityOf(options);
  if (!durability.ok()) return durability.status();
  SILTSTONE_RETURN_IF_ERROR(CheckWritable());

  PendingWrite write;
  {
    EpochGuard guard;
    const ReadView& view = shared_.views->current();
    write.checked_memtable_id = view.active->id();
    write.checked_sequence = shared_.visible_sequence.load(std::memory_order_acquire);
    const absl::StatusOr<bool> exists = KeyExists(shared_, view, key, write.checked_sequence);
    if (!exists.ok()) return exists.status();
    if (*exists) return false;
  }
  WriteBatch batch;
  batch.Put(key, value);
  write.batch = &batch;
  write.durability = *durability;
  write.only_if_absent = true;
  write.key = key;
  SILTSTONE_RETURN_IF_ERROR(queue_.Commit(&write));
  return write.applied;
}

void DbWriter::CommitGroup(std::span<PendingWrite* const> group) {
  size_t bytes = 0;
  bool any_condition = false;
  for (const PendingWrite* write : group) {
    bytes += write->batch->size_bytes();
    any_condition |= write->only_if_absent;
  }
  absl::Status status = MakeRoom(bytes);
  if (!status.ok()) {
    for (PendingWrite* write : group) write->status = status;
    return;
  }

  std::vector<PendingWrite*> accepted;
  GroupKeys keys(shared_.order);
  for (PendingWrite* write : group) {
    if (write->only_if_absent) {
      const bool* in_group = keys.Find(write->key);
      const absl::StatusOr<bool> exists =
          in_group != nullptr ? absl::StatusOr<bool>(*in_group) : WrittenSince(*write);
      write->status = exists.status();
      if (!exists.ok() || *exists) continue;
    }
    if (any_condition) write->batch->Iterate(keys);
    accepted.push_back(write);
  }
  if (accepted.empty()) return;

  const SequenceNumber first_sequence = last_sequence_ + 1;
  // Numbers of a failed group are not used again: its record may be on disk all the same.
  for (const PendingWrite* write : accepted) last_sequence_ += write->batch->count();
  status = AppendToLog(accepted, first_sequence);
  if (!status.ok()) {
    shared_.Fail(status);
    // Also those that found their key: it may have been written by this very group.
    for (PendingWrite* write : group) write->status = status;
    return;
  }
  InsertIntoMemtable(accepted, first_sequence);
  shared_.visible_sequence.store(last_sequence_, std::memory_order_release);
}

absl::Status DbWriter::AppendToLog(std::span<PendingWrite* const> accepted,
                                   SequenceNumber first_sequence) {
  if (shared_.options.durability == Durability::kNone) return absl::OkStatus();
  payload_.clear();
  bool sync = false;
  for (const PendingWrite* write : accepted) {
    AppendBatch(&payload_, *write->batch);
    sync |= write->durability == Durability::kSync;
  }
  SILTSTONE_RETURN_IF_ERROR(log_->Append(payload_, first_sequence));
  shared_.counters.Add(kWalBytes, payload_.size());
  if (payload_.capacity() > 4 * WriteQueue::kMaxGroupBytes) std::string().swap(payload_);
  if (!sync) return absl::OkStatus();
  shared_.counters.Add(kWalSyncs, 1);
  return log_->Sync();
}

void DbWriter::InsertIntoMemtable(std::span<PendingWrite* const> accepted,
                                  SequenceNumber first_sequence) {
  // The view is changed by installs meanwhile, but its active memtable by the leader alone.
  const std::shared_ptr<MemTable> memtable = ActiveMemtable();
  SequenceNumber next = first_sequence;
  uint64_t user_bytes = 0;
  for (PendingWrite* write : accepted) {
    MemtableInserter inserter(memtable.get(), next);
    write->batch->Iterate(inserter);
    next += write->batch->count();
    user_bytes += inserter.user_bytes();
    write->applied = true;
  }
  shared_.counters.Add(kWrites, accepted.size());
  shared_.counters.Add(kEntriesWritten, next - first_sequence);
  shared_.counters.Add(kUserBytesWritten, user_bytes);
  shared_.counters.Add(kWriteGroups, 1);
}

absl::StatusOr<bool> DbWriter::WrittenSince(const PendingWrite& write) const {
  EpochGuard guard;
  const ReadView& view = shared_.views->current();
  if (view.active->id() == write.checked_memtable_id) {
    return view.active->Get(write.key, kMaxSequenceNumber).state == MemTableLookup::State::kFound;
  }
  // The memtable that was active then has been closed since: what was written may be anywhere.
  return KeyExists(shared_, view, write.key, shared_.visible_sequence.load());
}

absl::Status DbWriter::MakeRoom(size_t bytes) {
  bool wait_is_useless = false;
  for (;;) {
    SILTSTONE_RETURN_IF_ERROR(CheckWritable());
    size_t active_bytes = 0;
    WriteStallInputs inputs;
    {
      EpochGuard guard;
      const ReadView& view = shared_.views->current();
      active_bytes = view.active->used_bytes();
      inputs.immutable_memtables = view.immutables.size();
      inputs.level0_runs = wait_is_useless ? 0 : view.version->level(0).runs.size();
    }
    const bool full = active_bytes >= shared_.options.write_buffer_size_bytes;
    const WriteStall stall = ComputeWriteStall(inputs, shared_.stall_limits, bytes, full);
    const uint64_t start_micros = NowMicros();
    if (stall.stop) {
      wait_is_useless = !background_.WaitForRoom(shared_.stall_limits.immutable_memtables_stop,
                                                 shared_.stall_limits.level0_stop_runs);
      shared_.counters.Add(kWriteStallMicros, NowMicros() - start_micros);
      continue;
    }
    if (!full) {
      const uint64_t micros =
          pacer_.MicrosToSleep(stall, bytes, start_micros, shared_.stall_limits);
      if (micros != 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(micros));
        shared_.counters.Add(kWriteStallMicros, NowMicros() - start_micros);
      }
      return absl::OkStatus();
    }
    const absl::Status status = SwitchMemtable();
    if (!status.ok()) {
      shared_.Fail(status);
      return status;
    }
  }
}

absl::Status DbWriter::SwitchMemtable() {
  VersionEdit edit;
  std::unique_ptr<LogWriter> log;
  uint64_t id = 0;
  if (log_ == nullptr) {
    id = shared_.versions->NewFileNumber();
  } else {
    SILTSTONE_RETURN_IF_ERROR(log_->Sync());
    const LogLocation sealed{shared_.epoch, log_->header().number, log_->size_bytes()};
    absl::StatusOr<std::unique_ptr<LogWriter>> created = CreateWal(shared_, sealed);
    if (!created.ok()) return created.status();
    log = *std::move(created);
    id = log->header().number;
    edit.logs_sealed.push_back({sealed.epoch, sealed.number, sealed.size_bytes});
    edit.logs_begun.push_back({shared_.epoch, id, log->allocated_bytes()});
    edit.last_sequence = last_sequence_;
    SILTSTONE_RETURN_IF_ERROR(shared_.versions->Install(edit, {}, [](const auto&) {}));
    SILTSTONE_RETURN_IF_ERROR(log_->Close());
  }
  CloseActiveMemtable(id);
  if (log != nullptr) log_ = std::move(log);
  shared_.BalanceMemory();
  background_.Schedule();
  return absl::OkStatus();
}

void DbWriter::CloseActiveMemtable(uint64_t next_id) {
  shared_.views->Change([&](ReadView* view) {
    newest_closed_memtable_ = view->active->id();
    view->immutables.insert(view->immutables.begin(), view->active);
    view->active = std::make_shared<MemTable>(shared_.order, next_id);
  });
}

absl::StatusOr<uint64_t> DbWriter::CloseMemtable() {
  uint64_t newest = 0;
  const absl::Status status = queue_.RunExclusive([&]() -> absl::Status {
    SILTSTONE_RETURN_IF_ERROR(CheckWritable());
    absl::Status switched;
    if (!ActiveMemtable()->empty()) switched = SwitchMemtable();
    if (!switched.ok()) shared_.Fail(switched);
    newest = newest_closed_memtable_;
    return switched;
  });
  if (!status.ok()) return status;
  return newest;
}

absl::Status DbWriter::Resume() {
  return queue_.RunExclusive([this] { return ResumeAsLeader(); });
}

// The log that failed may hold anything behind its last good record, and what it holds may not be durable. So
// nothing of it is used again: all memtables go to tables first, and one edit brings in those tables, drops the
// old logs and begins the new one.
absl::Status DbWriter::ResumeAsLeader() {
  if (shared_.closed.load(std::memory_order_acquire)) return CheckWritable();
  if (shared_.error.ok()) return absl::OkStatus();
  VersionEdit edit;
  std::unique_ptr<LogWriter> log;
  uint64_t id = 0;
  if (log_ == nullptr) {
    id = shared_.versions->NewFileNumber();
  } else {
    absl::StatusOr<std::unique_ptr<LogWriter>> created = CreateWal(shared_, {});
    if (!created.ok()) return created.status();
    log = *std::move(created);
    id = log->header().number;
    edit.logs_begun.push_back({shared_.epoch, id, log->allocated_bytes()});
  }
  edit.last_sequence = last_sequence_;
  CloseActiveMemtable(id);
  SILTSTONE_RETURN_IF_ERROR(background_.FlushNow(edit));
  if (log != nullptr) log_ = std::move(log);
  shared_.error.Clear();
  background_.Schedule();
  return absl::OkStatus();
}

absl::Status DbWriter::Close() {
  return queue_.RunExclusive([this]() -> absl::Status {
    if (log_ == nullptr || !shared_.error.ok()) return shared_.error.cause();
    SILTSTONE_RETURN_IF_ERROR(log_->Sync());
    VersionEdit edit;
    edit.logs_sealed.push_back({shared_.epoch, log_->header().number, log_->size_bytes()});
    edit.last_sequence = last_sequence_;
    SILTSTONE_RETURN_IF_ERROR(shared_.versions->Install(edit, {}, [](const auto&) {}));
    return log_->Close();
  });
}

std::shared_ptr<MemTable> DbWriter::ActiveMemtable() const {
  EpochGuard guard;
  return shared_.views->current().active;
}

}  // namespace siltstone
