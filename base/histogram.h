#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace siltstone {

// The distribution of many numbers (latencies, sizes) in little memory: exact count, sum, least and
// greatest, and percentiles within 1/16 of their value.
//
// Format: numbers below 32 have a bucket each; above, each power of two is cut into 16 buckets.
// Thread safety: thread-compatible; give each thread its own and Merge. Cost: Add a few
// instructions; 8 KB.
class Histogram {
 public:
  void Add(uint64_t value);
  void Merge(const Histogram& other);
  void Clear() { *this = Histogram(); }

  uint64_t count() const { return count_; }
  uint64_t sum() const { return sum_; }
  uint64_t min() const { return count_ == 0 ? 0 : min_; }
  uint64_t max() const { return max_; }
  double Mean() const;
  // A value that about `percent` of all numbers do not exceed; 0 <= percent <= 100. 0 when empty.
  uint64_t Percentile(double percent) const;

  // "count 3 mean 2.0 min 1 p50 2 p95 3 p99 3 max 3"
  std::string ToString() const;

 private:
  static constexpr int kSubBits = 4;
  static constexpr size_t kExact = size_t{2} << kSubBits;
  static constexpr size_t kBuckets = (64 - kSubBits + 1) << kSubBits;

  static size_t BucketOf(uint64_t value);
  static uint64_t GreatestOf(size_t bucket);

  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
  std::array<uint64_t, kBuckets> buckets_{};
};

}  // namespace siltstone
