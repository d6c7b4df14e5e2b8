#include "engine/read/run_iterator.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "sstable/table_reader.h"

namespace siltstone {
namespace {

// Invariants:
//   I1. table_, unless null, walks tables_[index_].
//   I2. valid_ implies table_->Valid().
class RunIterator final : public InternalIterator {
 public:
  RunIterator(KeyOrder order, std::span<const std::shared_ptr<Table>> tables,
              const RunIteratorOptions& options)
      : order_(order), tables_(tables), options_(options) {}

  bool Valid() const override { return valid_; }

  void SeekToFirst() override {
    if (!BeginSeek(0)) return;
    table_->SeekToFirst();
    SettleForward();
  }

  void SeekToLast() override {
    if (!BeginSeek(tables_.size() - 1)) return;
    table_->SeekToLast();
    SettleBackward();
  }

  // In the first table that ends at or behind the target.
  void Seek(std::string_view target) override {
    const auto ends_before = [&](const std::shared_ptr<Table>& table, std::string_view key) {
      return order_.CompareInternalKeys(table->meta.largest, key) < 0;
    };
    const auto found = std::lower_bound(tables_.begin(), tables_.end(), target, ends_before);
    if (!BeginSeek(static_cast<size_t>(found - tables_.begin()))) return;
    table_->Seek(target);
    SettleForward();
  }

  // In the last table that begins at or before the target.
  void SeekForPrev(std::string_view target) override {
    const auto begins_behind = [&](std::string_view key, const std::shared_ptr<Table>& table) {
      return order_.CompareInternalKeys(key, table->meta.smallest) < 0;
    };
    const auto behind = std::upper_bound(tables_.begin(), tables_.end(), target, begins_behind);
    if (!BeginSeek(static_cast<size_t>(behind - tables_.begin()) - 1)) return;
    table_->SeekForPrev(target);
    SettleBackward();
  }

  void Next() override {
    SILTSTONE_DCHECK(valid_);
    table_->Next();
    SettleForward();
  }
  void Prev() override {
    SILTSTONE_DCHECK(valid_);
    table_->Prev();
    SettleBackward();
  }

  std::string_view key() const override {
    SILTSTONE_DCHECK(valid_);
    return table_->key();
  }
  std::string_view value() const override {
    SILTSTONE_DCHECK(valid_);
    return table_->value();
  }
  absl::Status status() const override { return status_; }

 private:
  // False when there is no such table (a place before the first wraps around): the walk is at an end.
  bool BeginSeek(size_t index) {
    status_ = absl::OkStatus();
    valid_ = false;
    if (index >= tables_.size()) return false;
    OpenTable(index);
    return true;
  }

  void OpenTable(size_t index) {
    if (table_ != nullptr && index == index_) return;
    // The old table lets go of its block before the new one takes its first.
    table_.reset();
    index_ = index;
    table_ = tables_[index]->reader->NewIterator(options_.fill_cache, options_.receipt);
    if (options_.receipt != nullptr) ++options_.receipt->tables_considered;
  }

  // After a move of the table's iterator: goes on in the next table when this one is at its end.
  void SettleForward() {
    while (!(valid_ = table_->Valid())) {
      status_ = table_->status();
      if (!status_.ok() || index_ + 1 == tables_.size()) return;
      OpenTable(index_ + 1);
      table_->SeekToFirst();
    }
  }
  void SettleBackward() {
    while (!(valid_ = table_->Valid())) {
      status_ = table_->status();
      if (!status_.ok() || index_ == 0) return;
      OpenTable(index_ - 1);
      table_->SeekToLast();
    }
  }

  const KeyOrder order_;
  const std::span<const std::shared_ptr<Table>> tables_;
  const RunIteratorOptions options_;
  size_t index_ = 0;
  std::unique_ptr<InternalIterator> table_;
  bool valid_ = false;
  absl::Status status_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewRunIterator(KeyOrder order,
                                                 std::span<const std::shared_ptr<Table>> tables,
                                                 const RunIteratorOptions& options) {
  return std::make_unique<RunIterator>(order, tables, options);
}

}  // namespace siltstone
