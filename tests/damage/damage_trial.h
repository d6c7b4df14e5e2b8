#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "siltstone/db.h"

#include "tests/damage/sample_database.h"

namespace siltstone {

// What a damaged database did, over many trials.
struct DamageCounts {
  uint64_t trials = 0;
  uint64_t refused = 0;  // the open was, and no byte was changed
  uint64_t reported =
      0;              // it opened; a read or a check named the damage, all other answers were right
  uint64_t same = 0;  // it opened, and every answer was right
  uint64_t noticed = 0;  // of these: a check named the damage all the same

  std::string ToString() const;
};

// Opens damaged images of one database with default options and asks for all it held, by key and in both
// directions.
//
// Thread safety: single-threaded.
class DamageTrials {
 public:
  explicit DamageTrials(SampleDatabase sample) : sample_(std::move(sample)) {}

  // Tries an image, of which the named files are not as they were. A silent fault (a wrong or missing entry under an
  // OK status), a report that names none of these files, or a refused open that changed a byte is answered in words,
  // and is a test failure of the caller; otherwise empty.
  std::string Try(const FolderImage& image, const std::vector<std::string>& damaged);

  // From now on this state, too, is a right answer, as a whole.
  void AllowState(std::optional<SampleDatabase::Entries> state) { allowed_ = std::move(state); }

  // Whether VerifyChecksums, too, must tell of damage in the last image that opened (as it must for tables).
  bool last_was_noticed() const { return last_was_noticed_; }
  // Whether the first damaged file was of no more use at the end of the last trial, and deleted.
  bool last_was_dropped() const { return last_was_dropped_; }
  bool last_was_refused() const { return last_was_refused_; }

  const SampleDatabase& sample() const { return sample_; }
  const DamageCounts& counts() const { return counts_; }

 private:
  std::string AskAll(DB& db, const SampleDatabase::Entries& entries);
  std::string AskKey(DB& db, const SampleDatabase::Entries& entries, const std::string& key);
  std::string Walk(DB& db, const SampleDatabase::Entries& entries, bool forward);
  std::string Report(const absl::Status& status);

  const SampleDatabase sample_;
  std::optional<SampleDatabase::Entries> allowed_;
  std::vector<std::string> damaged_;
  bool reported_ = false;
  bool last_was_noticed_ = false;
  bool last_was_refused_ = false;
  bool last_was_dropped_ = false;
  DamageCounts counts_;
};

}  // namespace siltstone
