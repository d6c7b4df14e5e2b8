#include "tests/metamorphic/model_runner.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/engine/test_database.h"
#include "tests/metamorphic/model_keys.h"
#include "tests/metamorphic/model_state.h"
#include "tests/metamorphic/model_walk.h"
#include "tests/support/temporary_directory.h"

namespace siltstone {

void ModelCounts::Add(const ModelCounts& other) {
  operations += other.operations;
  flushes += other.flushes;
  compactions += other.compactions;
  trivial_moves += other.trivial_moves;
  reopens += other.reopens;
  iterator_steps += other.iterator_steps;
  snapshot_reads += other.snapshot_reads;
  manual_compactions += other.manual_compactions;
  filter_negatives += other.filter_negatives;
}

std::string ModelCounts::ToString() const {
  return std::to_string(operations) + " operations: " + std::to_string(flushes) + " flushes, " +
         std::to_string(compactions) + " compactions, " + std::to_string(trivial_moves) +
         " trivial moves, " + std::to_string(manual_compactions) + " manual compactions, " +
         std::to_string(reopens) + " reopens, " + std::to_string(iterator_steps) +
         " iterator steps, " + std::to_string(snapshot_reads) + " reads at snapshots, " +
         std::to_string(filter_negatives) + " filter negatives";
}

namespace {

// Single-threaded.
class ModelRun {
 public:
  ModelRun(const ModelOptionSet& set, uint64_t seed)
      : set_(set),
        seed_(seed),
        random_(seed),
        keys_(set.key_count, set.options.comparator, &random_),
        model_(set.options.comparator),
        options_(set.options) {
    options_.create_if_missing = true;
    if (set.on_disk) {
      folder_.emplace();
      path_ = folder_->path() + "/db";
    } else {
      options_.file_system = NewMemoryFileSystem();
      path_ = "/db";
    }
  }

  ModelCounts Run(uint64_t operations) {
    Open();
    while (counts_.operations < operations && !failed_) {
      ++counts_.operations;
      RandomOperation();
    }
    if (!failed_) Reopen();
    if (!failed_) CompactAndCheck();
    if (!failed_) CollectCounts();
    return counts_;
  }

 private:
  struct HeldSnapshot {
    Snapshot snapshot;
    std::shared_ptr<const ModelMap> state;
  };

  void Fail(const std::string& what) {
    if (failed_) return;
    failed_ = true;
    ADD_FAILURE() << what << "\n  seed " << seed_ << ", option set " << set_.name << ", operation "
                  << counts_.operations;
  }
  void ExpectOk(const absl::Status& status, const char* what) {
    if (!status.ok()) Fail(std::string(what) + ": " + std::string(status.ToString()));
  }

  void RandomOperation() {
    if (random_.OneIn(set_.reopen_every)) return Reopen();
    const uint64_t dice = random_.Uniform(10000);
    if (dice < 3000) return Put();
    if (dice < 4200) return Delete();
    if (dice < 4600) return WriteBatchOperation();
    if (dice < 5100) return PutIfAbsent();
    if (dice < 7100) return Get();
    if (dice < 7700) return GetAtSnapshot();
    if (dice < 8000) return MultiGet();
    if (dice < 8700) return MayContain();
    if (dice < 9600) return Walk();
    if (dice < 9750) return TakeSnapshot();
    if (dice < 9900) return DropSnapshot();
    if (dice < 9940) return DropWalk();
    if (dice < 9965) return ExpectOk(db_->Flush(), "Flush");
    if (dice < 9992) return CompactPart();
    if (dice < 9998) return CompactAndCheck();
    return ExpectOk(db_->VerifyChecksums(), "VerifyChecksums");
  }

  void Open() {
    absl::StatusOr<std::unique_ptr<DB>> db = DB::Open(options_, path_);
    if (!db.ok()) return Fail("Open: " + std::string(db.status().ToString()));
    db_ = *std::move(db);
  }

  void CollectCounts() {
    const Statistics statistics = db_->GetStatistics();
    counts_.flushes += statistics.flushes;
    counts_.compactions += statistics.compactions;
    counts_.trivial_moves += statistics.trivial_moves;
    counts_.filter_negatives += statistics.filter_negatives;
  }

  void Reopen() {
    CollectCounts();
    // Some iterators live on beside the next DB object.
    if (random_.OneIn(2)) walks_.clear();
    if (random_.OneIn(2)) snapshots_.clear();
    if (!random_.OneIn(3)) ExpectOk(db_->Close(), "Close");
    db_.reset();
    Open();
    if (failed_) return;
    ++counts_.reopens;
    if (!snapshots_.empty()) {
      const auto result = db_->Get(keys_.Pick(), {.snapshot = &snapshots_.front().snapshot});
      if (!absl::IsInvalidArgument(result.status())) {
        Fail("a snapshot of the former DB object is taken: " + TestDatabase::Text(result));
      }
      snapshots_.clear();
    }
    CheckWhole();
  }

  void CheckWhole() {
    ModelWalk walk(db_->NewIterator(), ModelIterator(model_.Freeze(), {}));
    const std::string fault = walk.WalkWhole();
    if (!fault.empty()) Fail("the whole database: " + fault);
  }

  std::string RandomValue() {
    size_t size_bytes = 0;
    switch (random_.Uniform(10)) {
      case 0:
        return "";
      case 1:
      case 2:
      case 3:
        size_bytes = random_.Uniform(set_.max_value_bytes + 1);
        break;
      default:
        size_bytes = random_.Uniform(32);
    }
    std::string value = std::to_string(++values_made_) + ":";
    if (random_.OneIn(2)) return value.append(size_bytes, 'v');
    return value + NoiseBytes(values_made_, size_bytes);
  }

  WriteOptions RandomWriteOptions() {
    if (options_.durability != Durability::kBuffered || !random_.OneIn(200)) return {};
    return {.durability = Durability::kSync};
  }

  void Put() {
    const std::string& key = keys_.Pick();
    const std::string value = RandomValue();
    ExpectOk(db_->Put(key, value, RandomWriteOptions()), "Put");
    model_.Put(key, value);
  }

  void Delete() {
    const std::string key = keys_.PickNear();
    ExpectOk(db_->Delete(key, RandomWriteOptions()), "Delete");
    model_.Delete(key);
  }

  void WriteBatchOperation() {
    WriteBatch batch;
    for (uint64_t left = random_.Uniform(51); left > 0; --left) {
      const std::string& key = keys_.Pick();
      if (random_.OneIn(3)) {
        batch.Delete(key);
        model_.Delete(key);
      } else {
        const std::string value = RandomValue();
        batch.Put(key, value);
        model_.Put(key, value);
      }
    }
    ExpectOk(db_->Write(batch, RandomWriteOptions()), "Write");
  }

  void PutIfAbsent() {
    const std::string& key = keys_.Pick();
    const std::string value = RandomValue();
    const absl::StatusOr<bool> inserted = db_->PutIfAbsent(key, value, RandomWriteOptions());
    if (!inserted.ok()) return ExpectOk(inserted.status(), "PutIfAbsent");
    const bool absent = !model_.map().contains(key);
    if (*inserted != absent) {
      return Fail("PutIfAbsent of " + Printable(key) + " answered " +
                  (*inserted ? "true" : "false"));
    }
    if (absent) model_.Put(key, value);
  }

  void ExpectResult(const char* call, const ModelMap& state, std::string_view key,
                    const DB::GetResult& result) {
    if (!result.ok())
      return Fail(std::string(call) + ": " + std::string(result.status().ToString()));
    const auto found = state.find(key);
    const bool present = found != state.end();
    if (result->has_value() != present || (present && (*result)->view() != found->second)) {
      Fail(std::string(call) + " of " + Printable(key) + ": " +
           (result->has_value() ? Printable((*result)->view()) : "absent") + ", expected " +
           (present ? Printable(found->second) : "absent"));
    }
  }

  ReadOptions RandomReadOptions() {
    ReadOptions read;
    read.fill_cache = !random_.OneIn(8);
    if (random_.OneIn(8)) read.receipt = &receipt_;
    if (random_.OneIn(500)) receipt_.Clear();
    return read;
  }

  void Get() {
    const std::string key = keys_.PickNear();
    ExpectResult("Get", model_.map(), key, db_->Get(key, RandomReadOptions()));
  }

  HeldSnapshot* RandomSnapshot() {
    if (snapshots_.empty()) return nullptr;
    return &snapshots_[random_.Uniform(snapshots_.size())];
  }

  void GetAtSnapshot() {
    const HeldSnapshot* held = RandomSnapshot();
    if (held == nullptr) return TakeSnapshot();
    ++counts_.snapshot_reads;
    const std::string key = keys_.PickNear();
    ReadOptions read = RandomReadOptions();
    read.snapshot = &held->snapshot;
    ExpectResult("Get at a snapshot", *held->state, key, db_->Get(key, read));
  }

  void MultiGet() {
    std::vector<std::string> keys(random_.Uniform(31));
    for (std::string& key : keys) key = keys_.PickNear();
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    std::vector<DB::GetResult> results(keys.size());
    ReadOptions read = RandomReadOptions();
    const ModelMap* state = &model_.map();
    const HeldSnapshot* held = random_.OneIn(3) ? RandomSnapshot() : nullptr;
    if (held != nullptr) {
      read.snapshot = &held->snapshot;
      state = held->state.get();
      ++counts_.snapshot_reads;
    }
    db_->MultiGet(views, std::span(results), read);
    for (size_t i = 0; i < keys.size() && !failed_; ++i) {
      ExpectResult("MultiGet", *state, keys[i], results[i]);
    }
  }

  void MayContain() {
    const std::string key = keys_.PickNear();
    if (!db_->MayContain(key) && model_.map().contains(key)) {
      Fail("MayContain of " + Printable(key) + ", which is there, is false");
    }
  }

  void TakeSnapshot() {
    if (snapshots_.size() >= 4) snapshots_.erase(snapshots_.begin() + random_.Uniform(4));
    snapshots_.push_back({db_->GetSnapshot(), model_.Freeze()});
  }
  void DropSnapshot() {
    if (!snapshots_.empty())
      snapshots_.erase(snapshots_.begin() + random_.Uniform(snapshots_.size()));
  }
  void DropWalk() {
    if (!walks_.empty()) walks_.erase(walks_.begin() + random_.Uniform(walks_.size()));
  }

  ModelBounds RandomBounds() {
    ModelBounds bounds;
    if (random_.OneIn(4)) bounds.lower = keys_.PickNear();
    if (random_.OneIn(4)) bounds.upper = keys_.PickNear();
    if (options_.comparator == BytewiseComparator() && random_.OneIn(6)) {
      const std::string key = keys_.Pick();
      bounds.prefix = key.substr(0, random_.Uniform(key.size() + 1));
    }
    return bounds;
  }

  void Walk() {
    if (walks_.empty() || random_.OneIn(6)) BeginWalk();
    const uint64_t steps = 1 + random_.Uniform(random_.OneIn(8) ? 60 : 10);
    counts_.iterator_steps += steps;
    const std::string fault = walks_[random_.Uniform(walks_.size())]->Step(random_, keys_, steps);
    if (!fault.empty()) Fail(fault);
  }

  void BeginWalk() {
    if (walks_.size() >= 4) DropWalk();
    ReadOptions read = RandomReadOptions();
    read.receipt = nullptr;
    const HeldSnapshot* held = random_.OneIn(3) ? RandomSnapshot() : nullptr;
    if (held != nullptr) read.snapshot = &held->snapshot;
    ModelBounds bounds = RandomBounds();
    ModelIterator expected(held != nullptr ? held->state : model_.Freeze(), bounds);
    read.lower_bound = bounds.lower;
    read.upper_bound = bounds.upper;
    read.prefix = bounds.prefix;
    std::unique_ptr<Iterator> actual = db_->NewIterator(read);
    // Bounds are copied: what they were made of may change.
    for (auto* bound : {&bounds.lower, &bounds.upper, &bounds.prefix}) {
      if (bound->has_value()) std::fill((*bound)->begin(), (*bound)->end(), 'x');
    }
    if (actual->Valid()) Fail("a new iterator is valid before the first seek");
    walks_.push_back(std::make_unique<ModelWalk>(std::move(actual), std::move(expected)));
  }

  void CompactPart() {
    ++counts_.manual_compactions;
    const std::string begin = keys_.PickNear();
    const std::string end = keys_.PickNear();
    std::optional<std::string_view> from = begin;
    std::optional<std::string_view> to = end;
    if (random_.OneIn(4)) from.reset();
    if (random_.OneIn(4)) to.reset();
    ExpectOk(db_->CompactRange(from, to), "CompactRange of a part");
  }

  // Without snapshots nothing but the newest values is left behind.
  void CompactAndCheck() {
    ++counts_.manual_compactions;
    if (random_.OneIn(2)) snapshots_.clear();
    ExpectOk(db_->CompactRange(), "CompactRange");
    if (failed_ || !snapshots_.empty()) return;
    uint64_t tombstones = 0;
    for (const LevelStatistics& level : db_->GetStatistics().levels) tombstones += level.tombstones;
    if (tombstones != 0) {
      Fail("after CompactRange, without snapshots: " + std::to_string(tombstones) + " tombstones");
    }
  }

  const ModelOptionSet& set_;
  const uint64_t seed_;
  Random random_;
  ModelKeys keys_;
  ModelState model_;
  Options options_;
  std::optional<TemporaryDirectory> folder_;
  std::string path_;
  std::unique_ptr<DB> db_;
  std::vector<HeldSnapshot> snapshots_;
  std::vector<std::unique_ptr<ModelWalk>> walks_;
  ReadReceipt receipt_;
  uint64_t values_made_ = 0;
  ModelCounts counts_;
  bool failed_ = false;
};

}  // namespace

ModelCounts RunModel(const ModelOptionSet& set, uint64_t seed, uint64_t operations) {
  return ModelRun(set, seed).Run(operations);
}

ModelCounts RunAllModels(uint64_t seed, uint64_t operations) {
  const std::vector<ModelOptionSet> sets = ModelOptionSets();
  int shares = 0;
  for (const ModelOptionSet& set : sets) shares += set.share;
  ModelCounts sum;
  for (size_t i = 0; i < sets.size(); ++i) {
    const uint64_t part = operations * static_cast<uint64_t>(sets[i].share) / shares + 1;
    const ModelCounts counts = RunModel(sets[i], seed + i, part);
    std::cout << sets[i].name << ": " << counts.ToString() << std::endl;
    sum.Add(counts);
  }
  std::cout << "all: " << sum.ToString() << std::endl;
  return sum;
}

}  // namespace siltstone
