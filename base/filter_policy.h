#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

// How an SSTable sees filters: through these three interfaces and nothing else. filter/ implements them;
// filter/table_filter.h binds the kinds to the tags on disk.

namespace siltstone {

// Collects the hashes of a table's distinct user keys. Thread-compatible.
class FilterBuilder {
 public:
  virtual ~FilterBuilder() = default;
  // `hash` is the seeded 64-bit hash of a user key (HashKey in base/hash.h). Each distinct key once.
  virtual void Add(uint64_t hash) = 0;
  // The filter block, sized exactly for the number of Adds; empty when no filter is wanted. Called once.
  virtual std::string Finish() = 0;
};

// A filter that is open for probes. Immutable and thread-safe. It keeps the bytes it was opened on.
class FilterReader {
 public:
  virtual ~FilterReader() = default;
  // False: no key with this hash was added. No I/O, no lock.
  virtual bool MayContain(uint64_t hash) const = 0;
  // The same for many: answers[i] = MayContain(hashes[i]). The memory of the later ones is loaded while the earlier
  // ones are tested, so that a filter larger than the caches costs a fraction of as many single questions.
  // REQUIRES: as many answers as hashes.
  virtual void MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const = 0;
  // Starts loading the memory that MayContain(hash) will touch.
  virtual void Prefetch(uint64_t hash) const = 0;
  // "standard-bloom", "bloom": as in TableStatistics::filter_kind.
  virtual std::string_view kind_name() const = 0;
  virtual uint64_t key_count() const = 0;
  // The chance it was sized for, and the chance that follows from the bits that are set.
  virtual double configured_fp_chance() const = 0;
  virtual double predicted_fp_rate() const = 0;
  virtual size_t memory_bytes() const = 0;
};

// Makes builders with the options in force, and readers of any known kind. Immutable and thread-safe.
class FilterPolicy {
 public:
  virtual ~FilterPolicy() = default;
  // `salt` differs from table to table, so that one key is not a false positive everywhere. Null when no
  // filter is to be written (a chance of 1).
  virtual std::unique_ptr<FilterBuilder> NewBuilder(uint64_t salt) const = 0;
  // DataLoss for damaged bytes, Unimplemented for an unknown kind or version: the table is then read without.
  virtual absl::StatusOr<std::unique_ptr<FilterReader>> OpenReader(std::string bytes) const = 0;
};

}  // namespace siltstone
