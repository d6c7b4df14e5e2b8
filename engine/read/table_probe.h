#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

#include "siltstone/pinned_value.h"
#include "siltstone/read_receipt.h"

#include "base/engine_counters.h"
#include "base/internal_key.h"
#include "engine/manifest/table.h"
#include "engine/manifest/version.h"
#include "engine/read/read_counters.h"
#include "sstable/table_reader.h"

// One table and one key of a point read: what PointLookup and MultiLookup are made of.

namespace siltstone {

// How a point read looks. A plain value.
struct LookupOptions {
  KeyOrder order;
  // Versions above this number are not seen.
  SequenceNumber snapshot = kMaxSequenceNumber;
  bool fill_cache = true;
  // Counts as keys asked for by Get or MultiGet.
  bool counts_as_get = true;
  EngineCounters* counters = nullptr;  // may be null
  ReadReceipt* receipt = nullptr;      // may be null
};

// What a point read found.
struct LookupResult {
  enum class State { kAbsent, kDeleted, kFound };
  State state = State::kAbsent;
  // Unless kAbsent: of the version found.
  SequenceNumber sequence = 0;
  bool from_memtable = false;
  PinnedValue value;  // kFound
};

// A table whose key range holds the key.
struct TableCandidate {
  const Table* table = nullptr;
  int level = 0;
  uint64_t hash = 0;  // of the key, under the table's filter seed; 0 when it has no filter
};

// The hash of one key, computed once for each filter seed that is met in a row; normally that is one.
class KeyHash {
 public:
  uint64_t For(const TableReader& reader, std::string_view key);

 private:
  bool known_ = false;
  uint64_t seed_ = 0;
  uint64_t hash_ = 0;
};

// Finds the candidates of one key, from the newest run to the oldest, a few at a time.
class CandidateCursor {
 public:
  // Both outlive the cursor.
  CandidateCursor(const Version& version, std::string_view key) : version_(version), key_(key) {}

  // False: there is no further one.
  bool Next(TableCandidate* candidate);

 private:
  const Version& version_;
  const std::string_view key_;
  int level_ = 0;
  size_t run_ = 0;
  KeyHash hash_;
};

// Asks the candidate's filter; true where it has none. A negative is recorded as such: in the table's counters,
// in `cost`, and as a step of the receipt.
bool FilterSaysMaybe(const TableCandidate& candidate, const LookupOptions& options, ReadCost* cost);

// Reads the candidate, whose filter said "maybe" or which has none, and records all that comes of it. Leaves
// `result` alone where the table holds no visible version of the key.
// REQUIRES: the caller holds an EpochGuard.
absl::Status ReadCandidate(const TableCandidate& candidate, std::string_view key,
                           const LookupOptions& options, ReadCost* cost, LookupResult* result);

}  // namespace siltstone
