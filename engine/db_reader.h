#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"

#include "siltstone/db.h"
#include "siltstone/iterator.h"

#include "engine/db_shared.h"

namespace siltstone {

// The read path of an open database: takes a view and a sequence number, and hands both to the look-ups and
// iterators of engine/read.
//
// Invariant: the view is taken before the sequence number. Everything a job may have dropped from the view's
// tables was then invisible at that number already.
//
// Thread-safe. Point reads take no lock.
class DbReader {
 public:
  explicit DbReader(std::shared_ptr<DbShared> shared) : shared_(std::move(shared)) {}

  DB::GetResult Get(std::string_view key, const ReadOptions& options) const;
  void MultiGet(std::span<const std::string_view> keys, std::span<DB::GetResult> out,
                const ReadOptions& options) const;
  bool MayContain(std::string_view key) const;
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options) const;

 private:
  absl::Status CheckReadable(const ReadOptions& options) const;
  // REQUIRES: the view the sequence number is for has been taken.
  SequenceNumber SequenceOf(const ReadOptions& options) const;

  const std::shared_ptr<DbShared> shared_;
};

// Whether `key` has a value in `view` at `sequence`; is not counted as a Get. REQUIRES: an EpochGuard held since the view
// was taken.
absl::StatusOr<bool> KeyExists(DbShared& shared, const ReadView& view, std::string_view key,
                               SequenceNumber sequence);

}  // namespace siltstone
