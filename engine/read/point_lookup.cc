#include "engine/read/point_lookup.h"

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/epoch.h"

namespace siltstone {
namespace {

// Candidates whose filters are prefetched together: more than there are runs, but for a level 0 far behind.
constexpr size_t kBatch = 16;

PinnedValue ValueInMemtable(std::string_view bytes, const std::shared_ptr<MemTable>& memtable) {
  if (bytes.size() <= PinnedValue::kCopyBytes) return PinnedValue::Copy(bytes);
  using Holder = std::shared_ptr<MemTable>;
  return PinnedValue::Pin(bytes, new Holder(memtable),
                          [](void* holder) { delete static_cast<Holder*>(holder); });
}

ReadStep::Outcome OutcomeOf(MemTableLookup::State state) {
  switch (state) {
    case MemTableLookup::State::kFound:
      return ReadStep::Outcome::kValue;
    case MemTableLookup::State::kDeleted:
      return ReadStep::Outcome::kTombstone;
    case MemTableLookup::State::kAbsent:
      break;
  }
  return ReadStep::Outcome::kNotHere;
}

// Whether the memtable decides the read.
bool FindInMemtable(const std::shared_ptr<MemTable>& memtable, bool is_active, std::string_view key,
                    const LookupOptions& options, LookupResult* result) {
  const MemTableLookup found = memtable->Get(key, options.snapshot);
  if (options.receipt != nullptr) {
    ReadStep& step = options.receipt->steps.emplace_back();
    step.source = is_active ? ReadStep::Source::kMemtable : ReadStep::Source::kImmutableMemtable;
    step.name = absl::StrCat("memtable ", memtable->id());
    step.outcome = OutcomeOf(found.state);
  }
  if (found.state == MemTableLookup::State::kAbsent) return false;
  result->sequence = found.sequence;
  result->from_memtable = true;
  if (found.state == MemTableLookup::State::kDeleted) {
    result->state = LookupResult::State::kDeleted;
  } else {
    result->state = LookupResult::State::kFound;
    result->value = ValueInMemtable(found.value, memtable);
  }
  return true;
}

absl::Status FindInTables(const Version& version, std::string_view key,
                          const LookupOptions& options, ReadCost* cost, LookupResult* result) {
  CandidateCursor cursor(version, key);
  std::array<TableCandidate, kBatch> candidates;
  for (;;) {
    size_t count = 0;
    while (count < kBatch && cursor.Next(&candidates[count])) {
      const TableCandidate& candidate = candidates[count++];
      const TableReader& reader = *candidate.table->reader;
      if (reader.has_filter()) reader.PrefetchFilter(candidate.hash);
    }
    for (const TableCandidate& candidate : std::span(candidates).first(count)) {
      if (!FilterSaysMaybe(candidate, options, cost)) continue;
      absl::Status status = ReadCandidate(candidate, key, options, cost, result);
      if (!status.ok() || result->state != LookupResult::State::kAbsent) return status;
    }
    if (count < kBatch) return absl::OkStatus();
  }
}

}  // namespace

bool FindInMemtables(const ReadView& view, std::string_view key, const LookupOptions& options,
                     ReadCost* cost, LookupResult* result) {
  ++cost->memtables_considered;
  if (FindInMemtable(view.active, true, key, options, result)) return true;
  for (const std::shared_ptr<MemTable>& memtable : view.immutables) {
    ++cost->memtables_considered;
    if (FindInMemtable(memtable, false, key, options, result)) return true;
  }
  return false;
}

void RecordGet(const LookupResult& result, const LookupOptions& options) {
  if (options.counters == nullptr || !options.counts_as_get) return;
  options.counters->Add(kGets, 1);
  if (result.state == LookupResult::State::kFound) options.counters->Add(kGetsFound, 1);
  if (result.from_memtable) options.counters->Add(kGetsFromMemtable, 1);
}

absl::Status PointLookup(const ReadView& view, std::string_view key, const LookupOptions& options,
                         LookupResult* result) {
  SILTSTONE_DCHECK(EpochGuard::IsHeld());
  ReadCost cost;
  absl::Status status;
  if (!FindInMemtables(view, key, options, &cost, result)) {
    status = FindInTables(*view.version, key, options, &cost, result);
  }
  RecordReadCost(cost, options.counters, options.receipt);
  RecordGet(*result, options);
  return status;
}

bool ViewMayContain(const ReadView& view, std::string_view key, SequenceNumber snapshot) {
  SILTSTONE_DCHECK(EpochGuard::IsHeld());
  const auto in_memtable = [&](const MemTable& memtable) {
    return memtable.Get(key, snapshot).state;
  };
  MemTableLookup::State state = in_memtable(*view.active);
  for (const std::shared_ptr<MemTable>& memtable : view.immutables) {
    if (state != MemTableLookup::State::kAbsent) break;
    state = in_memtable(*memtable);
  }
  // A memtable is exact: its tombstone is the newest version, and the key is gone.
  if (state != MemTableLookup::State::kAbsent) return state == MemTableLookup::State::kFound;
  CandidateCursor cursor(*view.version, key);
  for (TableCandidate candidate; cursor.Next(&candidate);) {
    const TableReader& reader = *candidate.table->reader;
    if (!reader.has_filter() || reader.MayContain(candidate.hash)) return true;
  }
  return false;
}

}  // namespace siltstone
