#include "tests/metamorphic/history_run.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "siltstone/db.h"

#include "tests/metamorphic/model_state.h"
#include "tests/metamorphic/model_walk.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temporary_directory.h"

namespace siltstone {
namespace {

using Kind = Step::Kind;

constexpr char kAbsent[] = "absent";

bool IsUsed(const ModelMap* map, const Step& step) { return step.slot < 0 || map != nullptr; }

// Single-threaded.
class ModelHistory {
 public:
  std::string Do(const Step& step) {
    switch (step.kind) {
      case Kind::kPut:
        state_.Put(step.key, step.value);
        return "ok";
      case Kind::kDelete:
        state_.Delete(step.key);
        return "ok";
      case Kind::kBatch:
        for (const Step::Entry& entry : step.entries) {
          entry.value.has_value() ? state_.Put(entry.key, *entry.value) : state_.Delete(entry.key);
        }
        return "ok";
      case Kind::kPutIfAbsent: {
        if (state_.map().contains(step.key)) return "false";
        state_.Put(step.key, step.value);
        return "true";
      }
      case Kind::kGet:
        return Get(step, step.key);
      case Kind::kMultiGet: {
        std::string answers;
        for (const Step::Entry& entry : step.entries) answers += Get(step, entry.key) + ", ";
        return answers;
      }
      case Kind::kMayContain:
        return "ok";
      case Kind::kSnapshot:
        snapshots_[Slot(step)] = state_.Freeze();
        return "ok";
      case Kind::kOpenIterator:
        iterators_[Slot(step)].emplace(state_.Freeze(),
                                       ModelBounds{step.lower, step.upper, step.prefix});
        return "ok";
      case Kind::kMove:
        return Move(step);
      case Kind::kReopen:
      case Kind::kCrash:
        snapshots_ = {};
        iterators_ = {};
        return "ok";
      case Kind::kFlush:
      case Kind::kCompact:
      case Kind::kVerify:
      case Kind::kFault:
        return "ok";
    }
    return "";
  }

 private:
  static size_t Slot(const Step& step) { return static_cast<size_t>(step.slot); }

  std::string Get(const Step& step, const std::string& key) const {
    const ModelMap* map = step.slot < 0 ? &state_.map() : snapshots_[Slot(step)].get();
    if (!IsUsed(map, step)) return "no snapshot";
    const auto found = map->find(key);
    return found == map->end() ? kAbsent : Printable(found->second);
  }

  std::string Move(const Step& step) {
    std::optional<ModelIterator>& iterator = iterators_[Slot(step)];
    if (!iterator.has_value()) return "no iterator";
    switch (step.move) {
      case Step::Move::kSeekToFirst:
        iterator->SeekToFirst();
        break;
      case Step::Move::kSeekToLast:
        iterator->SeekToLast();
        break;
      case Step::Move::kSeek:
        iterator->Seek(step.key);
        break;
      case Step::Move::kSeekForPrev:
        iterator->SeekForPrev(step.key);
        break;
      case Step::Move::kNext:
        iterator->Next();
        break;
      case Step::Move::kPrev:
        iterator->Prev();
        break;
    }
    if (!iterator->Valid()) return "nowhere";
    return Printable(iterator->key()) + "=" + Printable(iterator->value());
  }

  ModelState state_{BytewiseComparator()};
  std::array<std::shared_ptr<const ModelMap>, kHistorySlots> snapshots_;
  std::array<std::optional<ModelIterator>, kHistorySlots> iterators_;
};

// Single-threaded, but for the engine's own threads.
class DatabaseHistory {
 public:
  explicit DatabaseHistory(const HistoryOptionSet& set) : options_(set.options) {
    std::shared_ptr<FileSystem> base;
    if (set.on_disk) {
      folder_.emplace();
      path_ = folder_->path() + "/db";
      base = PosixFileSystem();
    } else {
      base = disk_ = std::make_shared<CrashFileSystem>();
    }
    faults_ = std::make_shared<FaultFileSystem>(base);
    options_.create_if_missing = true;
    options_.file_system = faults_;
    open_error_ = Open();
  }

  std::string Do(const Step& step) {
    if (db_ == nullptr) return "not open: " + open_error_;
    switch (step.kind) {
      case Kind::kPut:
        return Write([&] { return db_->Put(step.key, step.value); });
      case Kind::kDelete:
        return Write([&] { return db_->Delete(step.key); });
      case Kind::kBatch:
        return WriteEntries(step);
      case Kind::kPutIfAbsent:
        return PutIfAbsent(step);
      case Kind::kGet:
        return Get(step, step.key);
      case Kind::kMultiGet:
        return MultiGet(step);
      case Kind::kMayContain:
        return MayContain(step.key);
      case Kind::kSnapshot:
        snapshots_[Slot(step)].emplace(db_->GetSnapshot());
        return "ok";
      case Kind::kOpenIterator:
        return OpenIterator(step);
      case Kind::kMove:
        return Move(step);
      case Kind::kFlush:
        return Write([&] { return db_->Flush(); });
      case Kind::kCompact:
        return Write([&] { return db_->CompactRange(step.lower, step.upper); });
      case Kind::kVerify:
        return Write([&] { return db_->VerifyChecksums(); });
      case Kind::kReopen:
        return Reopen();
      case Kind::kCrash:
        return Crash(step);
      case Kind::kFault:
        faults_->Inject({.nth = step.number});
        return "ok";
    }
    return "";
  }

 private:
  static size_t Slot(const Step& step) { return static_cast<size_t>(step.slot); }
  static std::string Text(const absl::Status& status) { return std::string(status.ToString()); }

  // Empty, or why not.
  std::string Open() {
    auto db = DB::Open(options_, path_);
    if (!db.ok()) {
      faults_->ClearFaults();
      db = DB::Open(options_, path_);
    }
    if (!db.ok()) return Text(db.status());
    db_ = *std::move(db);
    return "";
  }

  // After a call that failed: the fault goes, and writes are taken again.
  absl::Status Recover() {
    faults_->ClearFaults();
    return db_->Resume();
  }

  template <typename Call>
  std::string Write(Call call) {
    absl::Status status = call();
    // A job of the background may have met the fault, and tell of it only now.
    for (int attempt = 0; attempt < 3 && !status.ok(); ++attempt) {
      if (const absl::Status resumed = Recover(); !resumed.ok()) return Text(resumed);
      status = call();
    }
    return status.ok() ? "ok" : Text(status);
  }

  std::string WriteEntries(const Step& step) {
    WriteBatch batch;
    for (const Step::Entry& entry : step.entries) {
      entry.value.has_value() ? batch.Put(entry.key, *entry.value) : batch.Delete(entry.key);
    }
    return Write([&] { return db_->Write(batch); });
  }

  std::string PutIfAbsent(const Step& step) {
    bool inserted = false;
    bool failed = false;
    const std::string result = Write([&]() -> absl::Status {
      const absl::StatusOr<bool> answer = db_->PutIfAbsent(step.key, step.value);
      if (!answer.ok()) {
        failed = true;
        return answer.status();
      }
      inserted = *answer;
      return absl::OkStatus();
    });
    if (result != "ok") return result;
    // What failed may have been written all the same; no other value is ever this one.
    if (failed && !inserted) inserted = Get({}, step.key) == Printable(step.value);
    return inserted ? "true" : "false";
  }

  // Of a read. The one fault may meet it.
  template <typename Call>
  auto Retried(Call call) {
    auto result = call();
    if (!result.ok()) {
      faults_->ClearFaults();
      result = call();
    }
    return result;
  }

  std::string Get(const Step& step, const std::string& key) {
    ReadOptions read;
    if (step.slot >= 0) {
      if (!snapshots_[Slot(step)].has_value()) return "no snapshot";
      read.snapshot = &*snapshots_[Slot(step)];
    }
    return ResultText(Retried([&] { return db_->Get(key, read); }));
  }

  static std::string ResultText(const DB::GetResult& result) {
    if (!result.ok()) return Text(result.status());
    return result->has_value() ? Printable((*result)->view()) : kAbsent;
  }

  std::string MultiGet(const Step& step) {
    ReadOptions read;
    if (step.slot >= 0 && snapshots_[Slot(step)].has_value()) {
      read.snapshot = &*snapshots_[Slot(step)];
    }
    std::vector<std::string_view> keys;
    for (const Step::Entry& entry : step.entries) keys.push_back(entry.key);
    std::vector<DB::GetResult> results(keys.size());
    const auto ask = [&]() -> absl::Status {
      db_->MultiGet(keys, results, read);
      for (const DB::GetResult& result : results) {
        if (!result.ok()) return result.status();
      }
      return absl::OkStatus();
    };
    Retried(ask).IgnoreError();
    const bool no_snapshot = step.slot >= 0 && read.snapshot == nullptr;
    std::string answers;
    for (const DB::GetResult& result : results) {
      answers += (no_snapshot ? "no snapshot" : ResultText(result)) + ", ";
    }
    return answers;
  }

  std::string MayContain(const std::string& key) {
    if (db_->MayContain(key)) return "ok";
    const std::string found = Get({}, key);
    return found == kAbsent ? "ok" : "denied, but there: " + found;
  }

  std::string OpenIterator(const Step& step) {
    ReadOptions read;
    read.lower_bound = step.lower;
    read.upper_bound = step.upper;
    read.prefix = step.prefix;
    iterators_[Slot(step)] = db_->NewIterator(read);
    positions_[Slot(step)].reset();
    return Text(iterators_[Slot(step)]->status()) == "OK" ? "ok" : "not made";
  }

  std::string Move(const Step& step) {
    Iterator* iterator = iterators_[Slot(step)].get();
    if (iterator == nullptr) return "no iterator";
    std::optional<std::string>& position = positions_[Slot(step)];
    Apply(step.move, step.key, *iterator);
    if (!iterator->status().ok()) {
      // The one fault: back to where it stood, and the move again.
      faults_->ClearFaults();
      if (position.has_value()) iterator->Seek(*position);
      const bool is_seek = step.move != Step::Move::kNext && step.move != Step::Move::kPrev;
      if (is_seek || position.has_value()) Apply(step.move, step.key, *iterator);
    }
    if (!iterator->status().ok()) return Text(iterator->status());
    position.reset();
    if (!iterator->Valid()) return "nowhere";
    position = std::string(iterator->key());
    return Printable(iterator->key()) + "=" + Printable(iterator->value());
  }

  static void Apply(Step::Move move, const std::string& key, Iterator& iterator) {
    switch (move) {
      case Step::Move::kSeekToFirst:
        return iterator.SeekToFirst();
      case Step::Move::kSeekToLast:
        return iterator.SeekToLast();
      case Step::Move::kSeek:
        return iterator.Seek(key);
      case Step::Move::kSeekForPrev:
        return iterator.SeekForPrev(key);
      case Step::Move::kNext:
        if (iterator.Valid()) iterator.Next();
        return;
      case Step::Move::kPrev:
        if (iterator.Valid()) iterator.Prev();
        return;
    }
  }

  void LetGo() {
    snapshots_ = {};
    iterators_ = {};
    positions_ = {};
  }

  // Without a log, what Close cannot write is lost, as it says: so it is written before.
  std::string FlushWithoutLog() {
    if (options_.durability != Durability::kNone) return "ok";
    return Write([&] { return db_->Flush(); });
  }

  std::string Reopen() {
    LetGo();
    if (const std::string flushed = FlushWithoutLog(); flushed != "ok") return flushed;
    // It may tell of the fault.
    db_->Close().IgnoreError();
    db_.reset();
    open_error_ = Open();
    return open_error_.empty() ? "ok" : open_error_;
  }

  std::string Crash(const Step& step) {
    LetGo();
    if (const std::string flushed = FlushWithoutLog(); flushed != "ok") return flushed;
    db_.reset();
    faults_->ClearFaults();
    if (disk_ != nullptr && options_.durability == Durability::kSync) {
      disk_->PowerCut(kAllPowerCutModes[step.number % 4], step.number);
    }
    open_error_ = Open();
    return open_error_.empty() ? "ok" : open_error_;
  }

  Options options_;
  std::optional<TemporaryDirectory> folder_;
  std::string path_ = "/db";
  std::shared_ptr<CrashFileSystem> disk_;  // null: on the POSIX file system
  std::shared_ptr<FaultFileSystem> faults_;
  std::unique_ptr<DB> db_;
  std::string open_error_;
  std::array<std::optional<Snapshot>, kHistorySlots> snapshots_;
  std::array<std::unique_ptr<Iterator>, kHistorySlots> iterators_;
  std::array<std::optional<std::string>, kHistorySlots> positions_;  // where each stands
};

}  // namespace

Transcript RunOnModel(const History& history) {
  ModelHistory model;
  Transcript transcript;
  for (const Step& step : history) transcript.push_back(model.Do(step));
  return transcript;
}

Transcript RunOnDatabase(const History& history, const HistoryOptionSet& set) {
  DatabaseHistory database(set);
  Transcript transcript;
  for (const Step& step : history) transcript.push_back(database.Do(step));
  return transcript;
}

std::string FirstDifference(const Transcript& expected, const Transcript& found) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == found[i]) continue;
    return "step " + std::to_string(i) + ": expected " + expected[i] + ", found " + found[i];
  }
  return "";
}

}  // namespace siltstone
