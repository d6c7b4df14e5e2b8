#include "engine/manifest/manifest_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"

namespace siltstone {
namespace {

absl::Status Inconsistent(const std::string& what) {
  return absl::DataLossError(absl::StrCat("version edit does not fit: ", what));
}

// The state after an edit, built beside the state before it, so that an edit that does not fit changes nothing.
class EditApplication {
 public:
  EditApplication(const ManifestState& before, const VersionEdit& edit, KeyOrder order)
      : before_(before), edit_(edit), order_(order) {}

  absl::Status Check() {
    SILTSTONE_RETURN_IF_ERROR(CheckCounters());
    SILTSTONE_RETURN_IF_ERROR(SortIds());
    SILTSTONE_RETURN_IF_ERROR(CheckNotThere());
    for (int level = 0; level < kLevelCount; ++level) {
      if (touched_[level]) SILTSTONE_RETURN_IF_ERROR(BuildLevel(level));
    }
    SILTSTONE_RETURN_IF_ERROR(CheckAllRemoved());
    return BuildLogs();
  }

  // REQUIRES: Check was OK.
  void Commit(ManifestState* state) {
    state->epoch = epoch_;
    if (edit_.comparator_name.has_value()) state->comparator_name = *edit_.comparator_name;
    if (edit_.table_options.has_value()) state->table_options = *edit_.table_options;
    state->last_sequence = last_sequence_;
    state->next_file_number = next_file_number_;
    for (int level = 0; level < kLevelCount; ++level) {
      if (!touched_[level]) continue;
      std::vector<TableMeta> tables;
      tables.reserve(levels_[level].size());
      for (const Slot slot : levels_[level]) {
        if (slot.is_added) {
          tables.push_back(edit_.added[slot.index].meta);
        } else {
          tables.push_back(std::move(state->levels[level][slot.index]));
        }
      }
      state->levels[level] = std::move(tables);
    }
    state->logs = std::move(logs_);
  }

 private:
  absl::Status CheckCounters() {
    if (edit_.comparator_name.has_value() && !before_.comparator_name.empty() &&
        *edit_.comparator_name != before_.comparator_name) {
      return Inconsistent(absl::StrCat("comparator \"", *edit_.comparator_name, "\" after \"",
                                       before_.comparator_name, "\""));
    }
    epoch_ = edit_.epoch.value_or(before_.epoch);
    if (epoch_ < before_.epoch || epoch_ == 0) {
      return Inconsistent(absl::StrCat("epoch ", epoch_, " after ", before_.epoch));
    }
    next_file_number_ = edit_.next_file_number.value_or(before_.next_file_number);
    if (next_file_number_ < before_.next_file_number) {
      return Inconsistent(absl::StrCat("next file number ", next_file_number_, " after ",
                                       before_.next_file_number));
    }
    last_sequence_ = std::max(edit_.last_sequence.value_or(0), before_.last_sequence);
    return absl::OkStatus();
  }

  absl::Status SortIds() {
    for (const TableRemoved& table : edit_.removed) {
      SILTSTONE_RETURN_IF_ERROR(CheckLevel(table.level));
      touched_[table.level] = true;
      removed_.push_back({table.level, table.file_id()});
    }
    std::sort(removed_.begin(), removed_.end());
    if (std::adjacent_find(removed_.begin(), removed_.end()) != removed_.end()) {
      return Inconsistent("a table is removed twice");
    }
    for (const TableAdded& table : edit_.added) {
      SILTSTONE_RETURN_IF_ERROR(CheckLevel(table.level));
      SILTSTONE_RETURN_IF_ERROR(Number(table.meta.file_id()));
      touched_[table.level] = true;
      added_.push_back(table.meta.file_id());
      last_sequence_ = std::max(last_sequence_, table.meta.largest_sequence);
    }
    std::sort(added_.begin(), added_.end());
    const auto twice = std::adjacent_find(added_.begin(), added_.end());
    if (twice == added_.end()) return absl::OkStatus();
    return Inconsistent(absl::StrCat("table ", TableFileName(*twice), " is added twice"));
  }

  static absl::Status CheckLevel(int level) {
    if (level >= 0 && level < kLevelCount) return absl::OkStatus();
    return Inconsistent(absl::StrCat("level ", level, ", expected 0 to ", kLevelCount - 1));
  }

  // Takes a file's id into account for the counters.
  absl::Status Number(FileId id) {
    if (id.epoch > epoch_) {
      return Inconsistent(absl::StrCat("file ", id.number, " is of epoch ", id.epoch,
                                       ", which is after epoch ", epoch_));
    }
    next_file_number_ = std::max(next_file_number_, id.number + 1);
    return absl::OkStatus();
  }

  bool IsRemoved(int level, FileId id) const {
    return std::binary_search(removed_.begin(), removed_.end(), LevelAndId{level, id});
  }

  // A table of a level as it is after the edit.
  struct Slot {
    uint32_t index = 0;  // in before_.levels[level], or in edit_.added
    bool is_added = false;
  };

  const TableMeta& MetaOf(int level, Slot slot) const {
    return slot.is_added ? edit_.added[slot.index].meta : before_.levels[level][slot.index];
  }

  // The level after the edit, in its order, and checked.
  absl::Status BuildLevel(int level) {
    std::vector<Slot> kept;
    for (uint32_t i = 0; i < before_.levels[level].size(); ++i) {
      if (IsRemoved(level, before_.levels[level][i].file_id())) {
        ++removals_done_;
      } else {
        kept.push_back({i, false});
      }
    }
    std::vector<Slot> added;
    for (uint32_t i = 0; i < edit_.added.size(); ++i) {
      if (edit_.added[i].level != level) continue;
      SILTSTONE_RETURN_IF_ERROR(CheckBounds(edit_.added[i].meta));
      added.push_back({i, true});
    }
    MergeSlots(level, kept, std::move(added));
    const std::vector<Slot>& slots = levels_[level];
    for (size_t i = 1; i < slots.size(); ++i) {
      // Two that were there before are as far apart as they were.
      if (!slots[i - 1].is_added && !slots[i].is_added) continue;
      SILTSTONE_RETURN_IF_ERROR(
          CheckNeighbours(level, MetaOf(level, slots[i - 1]), MetaOf(level, slots[i])));
    }
    return absl::OkStatus();
  }

  // Both in the order of the level; few comparisons where few tables are added to many.
  void MergeSlots(int level, const std::vector<Slot>& kept, std::vector<Slot> added) {
    const auto precedes = [this, level](Slot left, Slot right) {
      const TableMeta& a = MetaOf(level, left);
      const TableMeta& b = MetaOf(level, right);
      if (level == 0) return a.largest_sequence > b.largest_sequence;
      return order_.CompareUserKeys(a.smallest_user_key(), b.smallest_user_key()) < 0;
    };
    std::sort(added.begin(), added.end(), precedes);
    std::vector<Slot>& slots = levels_[level];
    slots.reserve(kept.size() + added.size());
    auto next = kept.begin();
    for (const Slot slot : added) {
      const auto end = std::upper_bound(next, kept.end(), slot, precedes);
      slots.insert(slots.end(), next, end);
      slots.push_back(slot);
      next = end;
    }
    slots.insert(slots.end(), next, kept.end());
  }

  absl::Status CheckBounds(const TableMeta& table) const {
    if (order_.CompareInternalKeys(table.smallest, table.largest) <= 0) return absl::OkStatus();
    return Inconsistent(absl::StrCat("table ", table.FileName(), " has smallest key ",
                                     QuoteKey(table.smallest_user_key()), " above its largest, ",
                                     QuoteKey(table.largest_user_key())));
  }

  absl::Status CheckNeighbours(int level, const TableMeta& a, const TableMeta& b) const {
    if (level == 0) {
      if (b.largest_sequence < a.smallest_sequence) return absl::OkStatus();
      return Inconsistent(absl::StrCat("level 0 tables ", a.FileName(), " and ", b.FileName(),
                                       " overlap: sequence numbers ", a.smallest_sequence, " to ",
                                       a.largest_sequence, " and ", b.smallest_sequence, " to ",
                                       b.largest_sequence));
    }
    if (order_.CompareUserKeys(a.largest_user_key(), b.smallest_user_key()) < 0) {
      return absl::OkStatus();
    }
    return Inconsistent(absl::StrCat(
        "level ", level, " tables ", a.FileName(), " and ", b.FileName(), " overlap: largest key ",
        QuoteKey(a.largest_user_key()), ", then smallest key ", QuoteKey(b.smallest_user_key())));
  }

  absl::Status CheckAllRemoved() const {
    if (removals_done_ == removed_.size()) return absl::OkStatus();
    for (const LevelAndId& removed : removed_) {
      const std::vector<TableMeta>& tables = before_.levels[removed.level];
      if (std::none_of(tables.begin(), tables.end(),
                       [&](const TableMeta& table) { return table.file_id() == removed.id; })) {
        return Inconsistent(absl::StrCat("table ", TableFileName(removed.id),
                                         " is removed from level ", removed.level,
                                         ", which does not hold it"));
      }
    }
    return Inconsistent("a level holds a table twice");
  }

  absl::Status CheckNotThere() const {
    if (added_.empty()) return absl::OkStatus();
    for (int level = 0; level < kLevelCount; ++level) {
      for (const TableMeta& table : before_.levels[level]) {
        if (std::binary_search(added_.begin(), added_.end(), table.file_id()) &&
            !IsRemoved(level, table.file_id())) {
          return Inconsistent(absl::StrCat("table ", table.FileName(), " is added, but level ",
                                           level, " holds it already"));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status BuildLogs() {
    logs_ = before_.logs;
    for (const LogBegun& log : edit_.logs_begun) {
      SILTSTONE_RETURN_IF_ERROR(Number(log.file_id()));
      if (!logs_.empty() && (log.number <= logs_.back().number || log.epoch < logs_.back().epoch)) {
        return Inconsistent(absl::StrCat("log ", LogFileName(log.file_id()), " is begun after ",
                                         LogFileName(logs_.back().file_id())));
      }
      logs_.push_back({log.epoch, log.number, log.minimum_size, std::nullopt});
    }
    for (const LogSealed& sealed : edit_.logs_sealed) {
      const auto log = FindLog(sealed.file_id());
      if (log == logs_.end() || log->sealed_size.has_value()) {
        return Inconsistent(absl::StrCat("log ", LogFileName(sealed.file_id()), " is sealed, but ",
                                         log == logs_.end() ? "is not live" : "was so before"));
      }
      log->sealed_size = sealed.size;
    }
    for (const LogRetired& retired : edit_.logs_retired) {
      const auto log = FindLog(retired.file_id());
      if (log == logs_.end()) {
        return Inconsistent(
            absl::StrCat("log ", LogFileName(retired.file_id()), " is retired, but is not live"));
      }
      logs_.erase(log);
    }
    return absl::OkStatus();
  }

  std::vector<ManifestLog>::iterator FindLog(FileId id) {
    return std::find_if(logs_.begin(), logs_.end(),
                        [&](const ManifestLog& log) { return log.file_id() == id; });
  }

  struct LevelAndId {
    int level = 0;
    FileId id;
    auto operator<=>(const LevelAndId&) const = default;
  };

  const ManifestState& before_;
  const VersionEdit& edit_;
  const KeyOrder order_;
  uint64_t epoch_ = 0;
  SequenceNumber last_sequence_ = 0;
  uint64_t next_file_number_ = 0;
  std::vector<LevelAndId> removed_;  // sorted
  std::vector<FileId> added_;        // sorted
  size_t removals_done_ = 0;
  std::array<bool, kLevelCount> touched_ = {};
  std::array<std::vector<Slot>, kLevelCount> levels_;  // those touched
  std::vector<ManifestLog> logs_;
};

}  // namespace

absl::Status ManifestState::Apply(const VersionEdit& edit, KeyOrder order) {
  EditApplication application(*this, edit, order);
  SILTSTONE_RETURN_IF_ERROR(application.Check());
  application.Commit(this);
  return absl::OkStatus();
}

VersionEdit SnapshotOf(const ManifestState& state) {
  VersionEdit edit;
  edit.comparator_name = state.comparator_name;
  edit.table_options = state.table_options;
  edit.last_sequence = state.last_sequence;
  edit.next_file_number = state.next_file_number;
  edit.epoch = state.epoch;
  for (int level = 0; level < kLevelCount; ++level) {
    for (const TableMeta& table : state.levels[level]) edit.added.push_back({level, table});
  }
  for (const ManifestLog& log : state.logs) {
    edit.logs_begun.push_back({log.epoch, log.number, log.minimum_size});
    if (log.sealed_size.has_value()) {
      edit.logs_sealed.push_back({log.epoch, log.number, *log.sealed_size});
    }
  }
  return edit;
}

}  // namespace siltstone
