#include "base/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_format.h"

namespace siltstone {

size_t Histogram::BucketOf(uint64_t value) {
  if (value < kExact) return static_cast<size_t>(value);
  const int shift = std::bit_width(value) - 1 - kSubBits;
  // The top five bits, of which the first is always set, and above them the power.
  return (static_cast<size_t>(shift) << kSubBits) + static_cast<size_t>(value >> shift);
}

uint64_t Histogram::GreatestOf(size_t bucket) {
  if (bucket < kExact) return bucket;
  const size_t shift = (bucket >> kSubBits) - 1;
  const uint64_t top = (bucket & ((size_t{1} << kSubBits) - 1)) | (size_t{1} << kSubBits);
  return (top << shift) + ((uint64_t{1} << shift) - 1);
}

void Histogram::Add(uint64_t value) {
  ++count_;
  sum_ += value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  ++buckets_[BucketOf(value)];
}

void Histogram::Merge(const Histogram& other) {
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
}

double Histogram::Mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

uint64_t Histogram::Percentile(double percent) const {
  if (count_ == 0) return 0;
  const double rank = std::ceil(percent / 100 * static_cast<double>(count_));
  const uint64_t wanted = std::clamp<uint64_t>(static_cast<uint64_t>(rank), 1, count_);
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= wanted) return std::clamp(GreatestOf(bucket), min_, max_);
  }
  return max_;
}

std::string Histogram::ToString() const {
  return absl::StrFormat("count %d mean %.1f min %d p50 %d p95 %d p99 %d max %d", count_, Mean(),
                         min(), Percentile(50), Percentile(95), Percentile(99), max_);
}

}  // namespace siltstone
