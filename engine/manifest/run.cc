#include "engine/manifest/run.h"

#include <algorithm>
#include <utility>

namespace siltstone {
namespace {

// Index of the first element that is not below `value`. The loop has no branch that depends on the data.
size_t PrefixLowerBound(const std::vector<uint64_t>& prefixes, uint64_t value) {
  const uint64_t* base = prefixes.data();
  size_t count = prefixes.size();
  while (count > 1) {
    const size_t half = count / 2;
    base += base[half - 1] < value ? half : 0;
    count -= half;
  }
  return static_cast<size_t>(base - prefixes.data()) + (count == 1 && *base < value ? 1 : 0);
}

}  // namespace

Run::Run(KeyOrder order, std::vector<std::shared_ptr<Table>> tables)
    : order_(order), tables_(std::move(tables)) {
  largest_prefixes_.reserve(tables_.size());
  smallest_prefixes_.reserve(tables_.size());
  for (const std::shared_ptr<Table>& table : tables_) {
    largest_prefixes_.push_back(order_.Prefix(table->meta.largest_user_key()));
    smallest_prefixes_.push_back(order_.Prefix(table->meta.smallest_user_key()));
    size_bytes_ += table->meta.file_size_bytes;
    key_count_ += table->meta.distinct_keys;
  }
}

size_t Run::LowerBound(std::string_view user_key) const {
  const uint64_t prefix = order_.Prefix(user_key);
  size_t low = PrefixLowerBound(largest_prefixes_, prefix);
  if (low == tables_.size() || largest_prefixes_[low] != prefix) return low;
  // Several tables may end in keys of the same prefix; under an order of the user's own all do.
  size_t high = low + 1;
  for (size_t step = 1; high < tables_.size() && largest_prefixes_[high] == prefix; step *= 2) {
    high = std::min(high + step, tables_.size());
  }
  const auto first = std::partition_point(
      tables_.begin() + static_cast<std::ptrdiff_t>(low),
      tables_.begin() + static_cast<std::ptrdiff_t>(high),
      [&](const std::shared_ptr<Table>& table) {
        return order_.CompareUserKeys(table->meta.largest_user_key(), user_key) < 0;
      });
  return static_cast<size_t>(first - tables_.begin());
}

const Table* Run::Find(std::string_view user_key) const {
  const size_t index = LowerBound(user_key);
  if (index == tables_.size()) return nullptr;
  const uint64_t prefix = order_.Prefix(user_key);
  if (smallest_prefixes_[index] > prefix) return nullptr;
  const Table* table = tables_[index].get();
  if (smallest_prefixes_[index] == prefix &&
      order_.CompareUserKeys(table->meta.smallest_user_key(), user_key) > 0) {
    return nullptr;
  }
  return table;
}

}  // namespace siltstone
