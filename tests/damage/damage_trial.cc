#include "tests/damage/damage_trial.h"

#include <algorithm>
#include <memory>

#include "siltstone/db.h"

#include "tests/engine/test_database.h"

namespace siltstone {

std::string DamageCounts::ToString() const {
  return std::to_string(trials) + " trials: " + std::to_string(refused) + " refused, " +
         std::to_string(reported) + " opened and reported, " + std::to_string(same) +
         " answered all (" + std::to_string(noticed) + " of them noticed by a check)";
}

std::string DamageTrials::Try(const FolderImage& image, const std::vector<std::string>& damaged) {
  ++counts_.trials;
  damaged_ = damaged;
  reported_ = last_was_noticed_ = last_was_refused_ = last_was_dropped_ = false;
  const Options options = OptionsOver(image);
  auto db = DB::Open(options, "/db");
  if (!db.ok()) {
    ++counts_.refused;
    last_was_refused_ = true;
    std::string fault = Report(db.status());
    if (fault.empty() && ReadImage(*options.file_system, "/db") != image) {
      fault = "a refused open changed a file; it said " + std::string(db.status().ToString());
    }
    return fault;
  }
  std::string fault = AskAll(**db, sample_.entries);
  if (!fault.empty() && allowed_.has_value()) fault = AskAll(**db, *allowed_);
  if (!fault.empty()) return fault;
  if (const absl::Status check = (*db)->VerifyChecksums(); !check.ok()) {
    last_was_noticed_ = true;
    fault = Report(check);
  }
  ++(reported_ ? counts_.reported : counts_.same);
  if (!reported_ && last_was_noticed_) ++counts_.noticed;
  // Background work may have met the damage.
  if (const absl::Status closed = (*db)->Close(); fault.empty() && !closed.ok()) {
    fault = Report(closed);
  }
  last_was_dropped_ = !ReadImage(*options.file_system, "/db").contains(damaged[0]);
  return fault;
}

// Empty for DataLoss that names one of the damaged files, else what is wrong with the report.
std::string DamageTrials::Report(const absl::Status& status) {
  const std::string message(status.message());
  if (!absl::IsDataLoss(status) && !absl::IsFailedPrecondition(status) &&
      !absl::IsInvalidArgument(status)) {
    return "not a report of damage: " + std::string(status.ToString());
  }
  const bool named = std::any_of(damaged_.begin(), damaged_.end(), [&](const std::string& name) {
    return message.find(name) != std::string::npos;
  });
  return named ? "" : "the report names no damaged file: " + std::string(status.ToString());
}

std::string DamageTrials::AskAll(DB& db, const SampleDatabase::Entries& entries) {
  for (const auto& [key, value] : sample_.entries) {
    if (std::string fault = AskKey(db, entries, key); !fault.empty()) return fault;
  }
  for (const std::string& key : sample_.absent_keys) {
    if (std::string fault = AskKey(db, entries, key); !fault.empty()) return fault;
  }
  std::string fault = Walk(db, entries, /*forward=*/true);
  return fault.empty() ? Walk(db, entries, /*forward=*/false) : fault;
}

std::string DamageTrials::AskKey(DB& db, const SampleDatabase::Entries& entries,
                                 const std::string& key) {
  const auto expected = entries.find(key);
  const bool present = expected != entries.end();
  if (present && !db.MayContain(key)) return "silent: MayContain denies " + key;
  const DB::GetResult result = db.Get(key);
  if (!result.ok()) {
    reported_ = true;
    return Report(result.status());
  }
  const std::string want = present ? expected->second : "(absent)";
  const std::string found = TestDatabase::Text(result);
  return found == want ? "" : "silent: Get of " + key + " gives " + found + ", not " + want;
}

std::string DamageTrials::Walk(DB& db, const SampleDatabase::Entries& entries, bool forward) {
  std::vector<std::pair<std::string, std::string>> want(entries.begin(), entries.end());
  if (!forward) std::reverse(want.begin(), want.end());
  const std::unique_ptr<Iterator> it = db.NewIterator();
  size_t count = 0;
  forward ? it->SeekToFirst() : it->SeekToLast();
  for (; it->Valid(); forward ? it->Next() : it->Prev(), ++count) {
    if (count == want.size() || it->key() != want[count].first ||
        it->value() != want[count].second) {
      return "silent: a scan finds " + std::string(it->key()) + " as entry " +
             std::to_string(count);
    }
  }
  if (!it->status().ok()) {
    reported_ = true;
    return Report(it->status());
  }
  return count == want.size() ? "" : "silent: a scan ends after " + std::to_string(count);
}

}  // namespace siltstone
