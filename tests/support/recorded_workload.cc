#include "tests/support/recorded_workload.h"

#include <utility>

#include "base/random.h"

namespace siltstone {

Options RecordedWorkload::SmallOptions(std::shared_ptr<FileSystem> file_system) {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size_bytes = 4 << 10;
  options.memory_budget_bytes = 128 << 10;
  options.block_size_bytes = 256;
  options.file_system = std::move(file_system);
  return options;
}

absl::Status RecordedWorkload::Run(DB& db, int count, bool sync) {
  for (int i = 0; i < count; ++i) {
    Random random(seed_ + 7919 * next_);
    WriteBatch batch;
    State state = states_.back();
    const uint64_t entries = 1 + random.Uniform(5);
    for (uint64_t entry = 0; entry < entries; ++entry) {
      const std::string key = "key" + std::to_string(random.Uniform(60));
      if (random.OneIn(4)) {
        batch.Delete(key);
        state.erase(key);
      } else {
        const std::string value =
            std::to_string(next_) + std::string(random.Uniform(120), random.OneIn(3) ? '\0' : 'v');
        batch.Put(key, value);
        state[key] = value;
      }
    }
    attempted_ = state;
    const absl::Status status =
        db.Write(batch, {.durability = sync ? Durability::kSync : Durability::kBuffered});
    if (!status.ok()) return status;
    ++next_;
    states_.push_back(std::move(state));
    if (next_ % 40 == 0) {
      if (absl::Status flushed = db.Flush(); !flushed.ok()) return flushed;
    }
  }
  return absl::OkStatus();
}

bool RecordedWorkload::IsPrefix(const State& state, uint64_t at_least, uint64_t* operations) const {
  for (uint64_t number = states_.size(); number-- > at_least;) {
    if (states_[number] != state) continue;
    *operations = number;
    return true;
  }
  *operations = states_.size();
  return state == attempted_;
}

void RecordedWorkload::ResumeAt(const State& state) {
  states_.push_back(state);
  attempted_ = state;
  ++next_;
}

absl::StatusOr<RecordedWorkload::State> ReadAll(DB& db) {
  RecordedWorkload::State found;
  const std::unique_ptr<Iterator> it = db.NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) found.emplace(it->key(), it->value());
  if (!it->status().ok()) return it->status();
  return found;
}

}  // namespace siltstone
