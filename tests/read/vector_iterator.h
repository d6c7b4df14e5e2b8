#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

#include "base/internal_iterator.h"
#include "base/internal_key.h"

namespace siltstone::read_test {

// Internal key and value, sorted.
using Entries = std::vector<std::pair<std::string, std::string>>;

// Fails the n-th call from now that moves an iterator which shares it; counts all of them.
struct FaultPlan {
  int calls_until_failure = -1;  // negative: never
  int calls = 0;

  bool Strikes() {
    ++calls;
    return calls_until_failure >= 0 && calls_until_failure-- == 0;
  }
};

// A walk over sorted entries in memory, which may fail as planned. Its keys are copied at each move
// into memory of their own, so that a reader of a key that is gone is found by the address
// sanitizer.
class VectorIterator final : public InternalIterator {
 public:
  VectorIterator(KeyOrder order, const Entries* entries, FaultPlan* plan = nullptr);

  bool Valid() const override { return key_ != nullptr; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(std::string_view target) override;
  void SeekForPrev(std::string_view target) override;
  void Next() override;
  void Prev() override;
  std::string_view key() const override;
  std::string_view value() const override;
  absl::Status status() const override { return status_; }

 private:
  void MoveTo(size_t position);
  size_t LowerBound(std::string_view target) const;

  const KeyOrder order_;
  const Entries& entries_;
  FaultPlan* const plan_;
  size_t position_ = 0;
  size_t key_size_ = 0;
  std::unique_ptr<char[]> key_;
  absl::Status status_;
};

// The seed of a random test: SILTSTONE_TEST_SEED or `default_seed`. Prints it.
uint64_t TestSeed(uint64_t default_seed);

// The bytewise order turned around.
const Comparator* ReverseComparator();

void SortEntries(KeyOrder order, Entries* entries);

}  // namespace siltstone::read_test
