#include "engine/read/multi_lookup.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/epoch.h"
#include "engine/read/point_lookup.h"

namespace siltstone {
namespace {

// Filter lines that are under way at the same time: about what one core can wait for.
constexpr size_t kFilterBatch = 32;

// A key that no source has decided yet.
struct PendingKey {
  uint64_t prefix = 0;
  size_t index = 0;  // in the caller's spans
  KeyHash hash;
  TableCandidate candidate;  // in the run that is looked at; table is null where there is none
};

// One MultiLookup under way: the keys not decided yet, in key order.
class KeySet {
 public:
  KeySet(std::span<const std::string_view> keys, const LookupOptions& options,
         std::span<ValueOrAbsent> out)
      : keys_(keys), options_(options), out_(out), pending_(keys.size()) {
    const KeyOrder order = options.order;
    for (size_t i = 0; i < keys.size(); ++i) {
      pending_[i].prefix = order.Prefix(keys[i]);
      pending_[i].index = i;
    }
    std::sort(pending_.begin(), pending_.end(), [&](const PendingKey& a, const PendingKey& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      return order.CompareUserKeys(keys_[a.index], keys_[b.index]) < 0;
    });
  }

  void LookInMemtables(const ReadView& view) {
    std::erase_if(pending_, [&](const PendingKey& key) {
      LookupResult result;
      const bool decided = FindInMemtables(view, keys_[key.index], options_, &cost_, &result);
      if (decided) Decide(key, std::move(result));
      return decided;
    });
  }

  void LookInRun(const Run& run, int level) {
    for (size_t begin = 0; begin < pending_.size(); begin += kFilterBatch) {
      const size_t end = std::min(begin + kFilterBatch, pending_.size());
      const std::span<PendingKey> batch = std::span(pending_).subspan(begin, end - begin);
      FindCandidates(run, level, batch);
      AskFilters(batch);
    }
    std::erase_if(pending_, [&](const PendingKey& key) {
      return key.candidate.table != nullptr && ReadTable(key);
    });
  }

  bool empty() const { return pending_.empty(); }

  // The keys that are left are nowhere.
  void Finish() {
    for (const PendingKey& key : pending_) Decide(key, LookupResult());
    RecordReadCost(cost_, options_.counters, options_.receipt);
  }

 private:
  void FindCandidates(const Run& run, int level, std::span<PendingKey> batch) {
    for (PendingKey& key : batch) {
      const std::string_view user_key = keys_[key.index];
      key.candidate = {run.Find(user_key), level, 0};
      if (key.candidate.table == nullptr) continue;
      const TableReader& reader = *key.candidate.table->reader;
      if (!reader.has_filter()) continue;
      key.candidate.hash = key.hash.For(reader, user_key);
      reader.PrefetchFilter(key.candidate.hash);
    }
  }

  void AskFilters(std::span<PendingKey> batch) {
    for (PendingKey& key : batch) {
      if (key.candidate.table == nullptr) continue;
      if (!FilterSaysMaybe(key.candidate, options_, &cost_)) key.candidate.table = nullptr;
    }
  }

  // Whether that decides the key.
  bool ReadTable(const PendingKey& key) {
    LookupResult result;
    absl::Status status = ReadCandidate(key.candidate, keys_[key.index], options_, &cost_, &result);
    if (!status.ok()) {
      RecordGet(result, options_);
      out_[key.index] = std::move(status);
      return true;
    }
    if (result.state == LookupResult::State::kAbsent) return false;
    Decide(key, std::move(result));
    return true;
  }

  void Decide(const PendingKey& key, LookupResult result) {
    RecordGet(result, options_);
    ValueOrAbsent& out = out_[key.index];
    if (result.state == LookupResult::State::kFound) {
      out = std::optional<PinnedValue>(std::move(result.value));
    } else {
      out = std::optional<PinnedValue>();
    }
  }

  const std::span<const std::string_view> keys_;
  const LookupOptions& options_;
  const std::span<ValueOrAbsent> out_;
  std::vector<PendingKey> pending_;
  ReadCost cost_;
};

}  // namespace

void MultiLookup(const ReadView& view, std::span<const std::string_view> keys,
                 const LookupOptions& options, std::span<ValueOrAbsent> out) {
  SILTSTONE_DCHECK(EpochGuard::IsHeld());
  SILTSTONE_CHECK(keys.size() == out.size());
  KeySet set(keys, options, out);
  set.LookInMemtables(view);
  for (int level = 0; level < kLevelCount && !set.empty(); ++level) {
    for (const Run& run : view.version->level(level).runs) set.LookInRun(run, level);
  }
  set.Finish();
}

}  // namespace siltstone
