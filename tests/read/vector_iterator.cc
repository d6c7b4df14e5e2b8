#include "tests/read/vector_iterator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

namespace siltstone::read_test {

VectorIterator::VectorIterator(KeyOrder order, const Entries* entries, FaultPlan* plan)
    : order_(order), entries_(*entries), plan_(plan) {}

void VectorIterator::MoveTo(size_t position) {
  key_.reset();
  status_ = absl::OkStatus();
  if (plan_ != nullptr && plan_->Strikes()) {
    status_ = absl::DataLossError("planned failure");
    return;
  }
  if (position >= entries_.size()) return;
  position_ = position;
  const std::string& key = entries_[position].first;
  key_size_ = key.size();
  key_ = std::make_unique<char[]>(key_size_);
  std::memcpy(key_.get(), key.data(), key_size_);
}

size_t VectorIterator::LowerBound(std::string_view target) const {
  const auto before = [this](const auto& entry, std::string_view key) {
    return order_.CompareInternalKeys(entry.first, key) < 0;
  };
  return static_cast<size_t>(std::lower_bound(entries_.begin(), entries_.end(), target, before) -
                             entries_.begin());
}

void VectorIterator::SeekToFirst() { MoveTo(0); }

// Before the first: a position that wraps around to one past every entry.
void VectorIterator::SeekToLast() { MoveTo(entries_.size() - 1); }

void VectorIterator::Seek(std::string_view target) { MoveTo(LowerBound(target)); }

void VectorIterator::SeekForPrev(std::string_view target) {
  size_t position = LowerBound(target);
  if (position == entries_.size() || entries_[position].first != target) --position;
  MoveTo(position);
}

void VectorIterator::Next() {
  ASSERT_TRUE(Valid());
  MoveTo(position_ + 1);
}

void VectorIterator::Prev() {
  ASSERT_TRUE(Valid());
  MoveTo(position_ - 1);
}

std::string_view VectorIterator::key() const {
  EXPECT_TRUE(Valid());
  return {key_.get(), key_size_};
}

std::string_view VectorIterator::value() const {
  EXPECT_TRUE(Valid());
  return entries_[position_].second;
}

uint64_t TestSeed(uint64_t default_seed) {
  const char* const text = std::getenv("SILTSTONE_TEST_SEED");
  const uint64_t seed = text == nullptr ? default_seed : std::strtoull(text, nullptr, 10);
  std::printf("SILTSTONE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

namespace {

class Reverse final : public Comparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override { return b.compare(a); }
  std::string_view name() const override { return "test.reverse"; }
};

}  // namespace

const Comparator* ReverseComparator() {
  static const Reverse kReverse;
  return &kReverse;
}

void SortEntries(KeyOrder order, Entries* entries) {
  std::sort(entries->begin(), entries->end(), [order](const auto& a, const auto& b) {
    return order.CompareInternalKeys(a.first, b.first) < 0;
  });
}

}  // namespace siltstone::read_test
