#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/filter_policy.h"
#include "filter/ribbon_shard_builder.h"

// The ribbon filter: the memory of the information limit within two parts in a hundred, for any chance.
//
// What a Bloom filter pays for its speed of building, 44 % over the limit and more, a ribbon saves: it solves for the
// bits instead of setting them, which takes ten times as long. Right for tables that live long. A probe
// reads two neighbouring blocks and a threshold, without a branch that depends on the key. See ribbon_math.h for the
// idea, ribbon_layout.h for the bytes, docs/filters.md for the trade.

namespace siltstone {

// Hashes in the order in which they came, in pieces that never move: 8 bytes each and no more. Thread-compatible.
class HashList {
 public:
  void Add(uint64_t hash) {
    if (size_ % kPiece == 0) pieces_.push_back(std::make_unique_for_overwrite<uint64_t[]>(kPiece));
    (*this)[size_++] = hash;
  }
  size_t size() const { return size_; }
  uint64_t& operator[](size_t i) { return pieces_[i / kPiece][i % kPiece]; }

 private:
  static constexpr size_t kPiece = 8192;
  std::vector<std::unique_ptr<uint64_t[]>> pieces_;
  size_t size_ = 0;
};

// Thread-compatible. Memory: 8 bytes a key until Finish; in Finish besides twice the filter, and 24 bytes for each
// key of one shard (7 MB).
class RibbonBuilder final : public FilterBuilder {
 public:
  // REQUIRES: 0 < fp_chance <= 1. `max_attempts` for tests: without any, every table becomes a list.
  RibbonBuilder(double fp_chance, uint64_t salt, uint64_t max_attempts = 64);

  void Add(uint64_t hash) override { keys_.Add(RibbonHash(hash, salt_)); }
  // A list for few keys; shards of rows; and, should a shard resist every attempt, a list of all keys: larger,
  // as right.
  std::string Finish() override;

 private:
  bool BuildShards(std::string* payload);

  const double fp_chance_;
  const uint64_t salt_;
  const uint64_t max_attempts_;
  HashList keys_;
};

// Brings the keys of one shard together, shard after shard, in place; gives where each begins, and the end.
std::vector<size_t> GroupByShard(uint64_t shards, HashList* keys);

// The payload of a sorted list of fingerprints (FORMAT.md, F13) below a range that makes the rate the chance.
std::string MakeRibbonList(std::vector<uint64_t> keys, double chance);

}  // namespace siltstone
