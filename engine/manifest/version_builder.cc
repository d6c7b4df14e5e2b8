#include "engine/manifest/version_builder.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/check.h"

namespace siltstone {
namespace {

using TableMap = std::map<FileId, std::shared_ptr<Table>>;
using TableList = std::vector<std::shared_ptr<Table>>;

TableList TablesOf(const Level& level) {
  TableList tables;
  for (const Run& run : level.runs) {
    tables.insert(tables.end(), run.tables().begin(), run.tables().end());
  }
  return tables;
}

// Moves what the edit removes out of the levels, into `removed`.
absl::Status TakeRemoved(const VersionEdit& edit, std::array<TableList, kLevelCount>* levels,
                         TableMap* removed) {
  for (const TableRemoved& leaving : edit.removed) {
    TableList& level = (*levels)[static_cast<size_t>(leaving.level)];
    const auto table = std::find_if(level.begin(), level.end(), [&](const auto& candidate) {
      return candidate->meta.file_id() == leaving.file_id();
    });
    SILTSTONE_NEVER(table == level.end(),
                    absl::StrCat("version edit removes ", TableFileName(leaving.file_id()),
                                 " from level ", leaving.level, ", which does not hold it"));
    (*removed)[leaving.file_id()] = std::move(*table);
    level.erase(table);
  }
  return absl::OkStatus();
}

Level MakeLevel(KeyOrder order, int level, TableList tables) {
  Level made;
  if (level == 0) {
    std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) {
      return a->meta.largest_sequence > b->meta.largest_sequence;
    });
    for (std::shared_ptr<Table>& table : tables) {
      made.runs.emplace_back(order, TableList{std::move(table)});
    }
  } else if (!tables.empty()) {
    std::sort(tables.begin(), tables.end(), [&](const auto& a, const auto& b) {
      return order.CompareUserKeys(a->meta.smallest_user_key(), b->meta.smallest_user_key()) < 0;
    });
    made.runs.emplace_back(order, std::move(tables));
  }
  return made;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Version>> BuildVersion(
    KeyOrder order, const Version& base, const VersionEdit& edit,
    std::span<const std::shared_ptr<Table>> tables) {
  std::array<bool, kLevelCount> touched = {};
  for (const TableRemoved& table : edit.removed) touched[static_cast<size_t>(table.level)] = true;
  for (const TableAdded& table : edit.added) touched[static_cast<size_t>(table.level)] = true;

  std::array<TableList, kLevelCount> lists;
  for (size_t level = 0; level < kLevelCount; ++level) {
    if (touched[level]) lists[level] = TablesOf(base.level(static_cast<int>(level)));
  }
  TableMap known;
  const absl::Status taken = TakeRemoved(edit, &lists, &known);
  if (!taken.ok()) return taken;
  for (const std::shared_ptr<Table>& table : tables) known.emplace(table->meta.file_id(), table);
  for (const TableAdded& added : edit.added) {
    const auto table = known.find(added.meta.file_id());
    SILTSTONE_NEVER(table == known.end(), absl::StrCat("version edit adds ", added.meta.FileName(),
                                                       ", which is not open"));
    table->second->SetLevel(added.level);
    lists[static_cast<size_t>(added.level)].push_back(table->second);
  }

  std::array<Level, kLevelCount> levels;
  for (size_t level = 0; level < kLevelCount; ++level) {
    const int number = static_cast<int>(level);
    levels[level] =
        touched[level] ? MakeLevel(order, number, std::move(lists[level])) : base.level(number);
  }
  return std::make_shared<const Version>(order, std::move(levels));
}

std::vector<std::shared_ptr<Table>> TablesLeaving(const Version& base, const VersionEdit& edit) {
  std::vector<FileId> staying;
  for (const TableAdded& added : edit.added) staying.push_back(added.meta.file_id());
  std::sort(staying.begin(), staying.end());
  std::vector<std::shared_ptr<Table>> leaving;
  for (const TableRemoved& removed : edit.removed) {
    if (std::binary_search(staying.begin(), staying.end(), removed.file_id())) continue;
    for (const Run& run : base.level(removed.level).runs) {
      for (const std::shared_ptr<Table>& table : run.tables()) {
        if (table->meta.file_id() == removed.file_id()) leaving.push_back(table);
      }
    }
  }
  return leaving;
}

}  // namespace siltstone
