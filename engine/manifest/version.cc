#include "engine/manifest/version.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"

namespace siltstone {
namespace {

absl::Status Broken(int level, const std::string& what) {
  return absl::InternalError(absl::StrCat("version invariant, level ", level, ": ", what));
}

}  // namespace

Version::Version(KeyOrder order, std::array<Level, kLevelCount> levels)
    : order_(order), levels_(std::move(levels)) {}

std::vector<std::shared_ptr<Table>> Version::Overlapping(
    int level, std::optional<std::string_view> begin, std::optional<std::string_view> end) const {
  std::vector<std::shared_ptr<Table>> tables;
  for (const Run& run : this->level(level).runs) {
    for (size_t i = begin.has_value() ? run.LowerBound(*begin) : 0; i < run.size(); ++i) {
      const std::shared_ptr<Table>& table = run.tables()[i];
      if (end.has_value() && order_.CompareUserKeys(table->meta.smallest_user_key(), *end) > 0) {
        break;
      }
      tables.push_back(table);
    }
  }
  return tables;
}

bool Version::HasKeyBelow(int level, std::string_view user_key) const {
  for (int below = level + 1; below < kLevelCount; ++below) {
    for (const Run& run : this->level(below).runs) {
      if (run.Find(user_key) != nullptr) return true;
    }
  }
  return false;
}

uint64_t Version::LevelSizeBytes(int level) const {
  uint64_t size_bytes = 0;
  for (const Run& run : this->level(level).runs) size_bytes += run.size_bytes();
  return size_bytes;
}

size_t Version::LevelTableCount(int level) const {
  size_t count = 0;
  for (const Run& run : this->level(level).runs) count += run.size();
  return count;
}

size_t Version::table_count() const {
  size_t count = 0;
  for (int level = 0; level < kLevelCount; ++level) count += LevelTableCount(level);
  return count;
}

absl::Status Version::CheckInvariants() const {
  SILTSTONE_RETURN_IF_ERROR(CheckLevel0());
  for (int level = 0; level < kLevelCount; ++level) {
    if (level > 0 && this->level(level).runs.size() > 1) {
      return Broken(level, absl::StrCat(this->level(level).runs.size(), " runs, expected 1"));
    }
    for (const Run& run : this->level(level).runs) SILTSTONE_RETURN_IF_ERROR(CheckRun(level, run));
  }
  std::vector<FileId> ids;
  ForEachTable([&](int, const Table& table) { ids.push_back(table.meta.file_id()); });
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice == ids.end()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("version invariant: table ", TableFileName(*twice), " is there twice"));
}

absl::Status Version::CheckLevel0() const {
  const std::vector<Run>& runs = level(0).runs;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].size() != 1) {
      return Broken(0, absl::StrCat("a run of ", runs[i].size(), " tables, expected 1"));
    }
    if (i == 0) continue;
    const TableMeta& newer = runs[i - 1].tables().front()->meta;
    const TableMeta& older = runs[i].tables().front()->meta;
    if (older.largest_sequence >= newer.smallest_sequence) {
      return Broken(0, absl::StrCat(newer.FileName(), " begins at sequence number ",
                                    newer.smallest_sequence, ", but the older ", older.FileName(),
                                    " ends at ", older.largest_sequence));
    }
  }
  return absl::OkStatus();
}

absl::Status Version::CheckRun(int level, const Run& run) const {
  if (run.size() == 0) return Broken(level, "a run without tables");
  const TableMeta* previous = nullptr;
  for (const std::shared_ptr<Table>& table : run.tables()) {
    const TableMeta& meta = table->meta;
    if (order_.CompareInternalKeys(meta.smallest, meta.largest) > 0) {
      return Broken(level, absl::StrCat(meta.FileName(), " has a smallest key above its largest"));
    }
    if (previous != nullptr &&
        order_.CompareUserKeys(previous->largest_user_key(), meta.smallest_user_key()) >= 0) {
      return Broken(level,
                    absl::StrCat(previous->FileName(), " ends at ",
                                 QuoteKey(previous->largest_user_key()), ", but ", meta.FileName(),
                                 " behind it begins at ", QuoteKey(meta.smallest_user_key())));
    }
    previous = &meta;
  }
  return absl::OkStatus();
}

}  // namespace siltstone
