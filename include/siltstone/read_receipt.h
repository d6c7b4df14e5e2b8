#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "siltstone/export.h"

namespace siltstone {

// What one read did with one memtable or table, in the order it happened.
struct ReadStep {
  enum class Source { kMemtable, kImmutableMemtable, kTable };
  enum class Filter { kNone, kNegative, kMaybe };  // kNone: the table has no usable filter
  enum class Outcome { kNotHere, kValue, kTombstone, kError };

  Source source = Source::kMemtable;
  std::string name = {};  // file name of the table, "memtable 7" otherwise
  int level = -1;         // -1 for memtables
  Filter filter = Filter::kNone;
  uint64_t blocks_from_cache = 0;
  uint64_t blocks_from_file = 0;
  std::vector<uint64_t> block_offsets = {};  // of the data blocks looked into, in the table file
  Outcome outcome = Outcome::kNotHere;
};

// The cost of the reads it was handed to. Counts add up over reads; `Clear` starts again.
//
//   siltstone::ReadReceipt receipt;
//   auto value = db->Get("key", {.receipt = &receipt});
//
// Thread safety: thread-compatible; do not share one between reads that run at the same time.
struct ReadReceipt {
  uint64_t memtables_considered = 0;
  uint64_t tables_considered = 0;  // tables whose key range holds the key
  uint64_t filters_checked = 0;
  uint64_t filter_negatives = 0;  // "no": the table was not read
  uint64_t filter_false_positives =
      0;                        // "maybe", and the table did not hold the key: a wasted read
  uint64_t index_searches = 0;  // indexes are resident: no I/O
  uint64_t data_blocks_from_cache = 0;
  uint64_t data_blocks_from_file = 0;
  uint64_t bytes_from_file = 0;      // as stored, compressed
  std::vector<ReadStep> steps = {};  // point reads only

  void Clear() { *this = ReadReceipt(); }
};

}  // namespace siltstone
