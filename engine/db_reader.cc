#include "engine/db_reader.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/epoch.h"
#include "base/status_macros.h"
#include "engine/read/db_iterator.h"
#include "engine/read/multi_lookup.h"
#include "engine/read/point_lookup.h"
#include "engine/read/view_iterator.h"

namespace siltstone {
namespace {

// What an iterator reads from: one reference on a view, and the engine's shared part.
class ViewKeeper {
 public:
  explicit ViewKeeper(std::shared_ptr<DbShared> shared)
      : shared_(std::move(shared)), view_(shared_->views->Acquire()) {}
  ~ViewKeeper() {
    view_->Unref();
    // The last reader of tables that were compacted away deletes their files.
    shared_->obsolete_files->Delete();
  }
  ViewKeeper(const ViewKeeper&) = delete;
  ViewKeeper& operator=(const ViewKeeper&) = delete;

  const ReadView& view() const { return *view_; }

 private:
  const std::shared_ptr<DbShared> shared_;  // destroyed after the view is let go of
  const ReadView* const view_;
};

std::optional<std::string> Copy(const std::optional<std::string_view>& bytes) {
  if (!bytes.has_value()) return std::nullopt;
  return std::string(*bytes);
}

}  // namespace

absl::Status DbReader::CheckReadable(const ReadOptions& options) const {
  if (shared_->closed.load(std::memory_order_relaxed)) {
    return absl::FailedPreconditionError(absl::StrCat("database ", shared_->path, " is closed"));
  }
  if (options.snapshot == nullptr) return absl::OkStatus();
  const auto& state = options.snapshot->state();
  if (state != nullptr && state->BelongsTo(*shared_->snapshots)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("snapshot: not one of the database at ", shared_->path));
}

SequenceNumber DbReader::SequenceOf(const ReadOptions& options) const {
  if (options.snapshot != nullptr) return options.snapshot->state()->sequence();
  return shared_->visible_sequence.load(std::memory_order_acquire);
}

DB::GetResult DbReader::Get(std::string_view key, const ReadOptions& options) const {
  SILTSTONE_RETURN_IF_ERROR(CheckReadable(options));
  EpochGuard guard;
  const ReadView& view = shared_->views->current();
  LookupResult result;
  SILTSTONE_RETURN_IF_ERROR(PointLookup(view, key,
                                        {.order = shared_->order,
                                         .snapshot = SequenceOf(options),
                                         .fill_cache = options.fill_cache,
                                         .counters = &shared_->counters,
                                         .receipt = options.receipt},
                                        &result));
  if (result.state != LookupResult::State::kFound) return std::optional<PinnedValue>();
  return std::optional<PinnedValue>(std::move(result.value));
}

void DbReader::MultiGet(std::span<const std::string_view> keys, std::span<DB::GetResult> out,
                        const ReadOptions& options) const {
  absl::Status status = CheckReadable(options);
  if (keys.size() != out.size()) {
    status = absl::InvalidArgumentError(absl::StrCat("MultiGet: ", keys.size(), " keys and ",
                                                     out.size(), " results, must be as many"));
  }
  if (!status.ok()) {
    for (DB::GetResult& result : out) result = status;
    return;
  }
  EpochGuard guard;
  const ReadView& view = shared_->views->current();
  MultiLookup(view, keys,
              {.order = shared_->order,
               .snapshot = SequenceOf(options),
               .fill_cache = options.fill_cache,
               .counters = &shared_->counters,
               .receipt = options.receipt},
              out);
}

bool DbReader::MayContain(std::string_view key) const {
  // A closed database answers nothing for certain.
  if (shared_->closed.load(std::memory_order_relaxed)) return true;
  EpochGuard guard;
  const ReadView& view = shared_->views->current();
  return ViewMayContain(view, key, SequenceOf({}));
}

std::unique_ptr<Iterator> DbReader::NewIterator(const ReadOptions& options) const {
  absl::Status status = CheckReadable(options);
  if (!status.ok()) return NewErrorIterator(std::move(status));
  auto keeper = std::make_shared<ViewKeeper>(shared_);
  auto cost = std::make_unique<ReadReceipt>();
  std::unique_ptr<InternalIterator> source = NewViewIterator(
      keeper->view(), shared_->order, {.fill_cache = options.fill_cache, .receipt = cost.get()});
  return NewDbIterator({.order = shared_->order,
                        .keeper = std::move(keeper),
                        .source_cost = std::move(cost),
                        .source = std::move(source),
                        .sequence = SequenceOf(options),
                        .lower = Copy(options.lower_bound),
                        .upper = Copy(options.upper_bound),
                        .prefix = Copy(options.prefix),
                        .counters = &shared_->counters,
                        .receipt = options.receipt});
}

absl::StatusOr<bool> KeyExists(DbShared& shared, const ReadView& view, std::string_view key,
                               SequenceNumber sequence) {
  LookupResult result;
  SILTSTONE_RETURN_IF_ERROR(PointLookup(view, key,
                                        {.order = shared.order,
                                         .snapshot = sequence,
                                         .counts_as_get = false,
                                         .counters = &shared.counters},
                                        &result));
  return result.state == LookupResult::State::kFound;
}

}  // namespace siltstone
