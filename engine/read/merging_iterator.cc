#include "engine/read/merging_iterator.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace siltstone {
namespace {

// A child with what comparisons need of its current entry, so that the heap asks no virtual
// function and mostly reads one word.
struct Child {
  std::unique_ptr<InternalIterator> iterator;
  size_t index = 0;  // decides between equal internal keys
  std::string_view user_key;
  uint64_t prefix = 0;
  uint64_t trailer = 0;
};

// A binary heap of the children that stand at an entry; the front one is the current entry.
//
// Invariants:
//   I1. Forward, every child but the front one stands at its first entry behind the current one;
//   backward,
//       at its last entry before it. Children that have no such entry are not in the heap.
//   I2. runner_up_, when not 0, is the place of the second in order: 1 or 2.
class MergingIterator final : public InternalIterator {
 public:
  MergingIterator(KeyOrder order, std::vector<std::unique_ptr<InternalIterator>> children)
      : order_(order), children_(children.size()) {
    heap_.reserve(children.size());
    for (size_t i = 0; i < children.size(); ++i) {
      children_[i].iterator = std::move(children[i]);
      children_[i].index = i;
    }
  }

  bool Valid() const override { return !heap_.empty(); }

  void SeekToFirst() override {
    SeekAll(true, [](InternalIterator& child) { child.SeekToFirst(); });
  }
  void SeekToLast() override {
    SeekAll(false, [](InternalIterator& child) { child.SeekToLast(); });
  }
  void Seek(std::string_view target) override {
    SeekAll(true, [target](InternalIterator& child) { child.Seek(target); });
  }
  void SeekForPrev(std::string_view target) override {
    SeekAll(false, [target](InternalIterator& child) { child.SeekForPrev(target); });
  }

  void Next() override {
    SILTSTONE_DCHECK(Valid());
    if (!forward_ && !TurnAround(true)) return;
    heap_.front()->iterator->Next();
    RestoreAfterStep();
  }

  void Prev() override {
    SILTSTONE_DCHECK(Valid());
    if (forward_ && !TurnAround(false)) return;
    heap_.front()->iterator->Prev();
    RestoreAfterStep();
  }

  std::string_view key() const override {
    SILTSTONE_DCHECK(Valid());
    // The trailer lies right behind the user key.
    const std::string_view user_key = heap_.front()->user_key;
    return {user_key.data(), user_key.size() + kTrailerBytes};
  }
  std::string_view value() const override {
    SILTSTONE_DCHECK(Valid());
    return heap_.front()->iterator->value();
  }
  absl::Status status() const override { return status_; }

 private:
  template <typename SeekChild>
  void SeekAll(bool forward, SeekChild seek_child) {
    Reset(forward);
    for (Child& child : children_) {
      seek_child(*child.iterator);
      if (!Collect(child)) return;
    }
    Heapify();
  }

  void Reset(bool forward) {
    status_ = absl::OkStatus();
    forward_ = forward;
    heap_.clear();
    runner_up_ = 0;
  }

  // Takes the child's new entry into the heap's array, if it has one. False: the child failed, and
  // with it the whole walk.
  bool Collect(Child& child) {
    if (Load(child)) {
      heap_.push_back(&child);
      return true;
    }
    return status_.ok();
  }

  // Reads the child's entry. False when it has none: at an end, or failed, which status_ tells.
  bool Load(Child& child) {
    if (!child.iterator->Valid()) {
      Fail(child.iterator->status());
      return false;
    }
    const std::string_view key = child.iterator->key();
    SILTSTONE_DCHECK(key.size() >= kTrailerBytes);
    child.user_key = ExtractUserKey(key);
    child.prefix = order_.Prefix(child.user_key);
    child.trailer = ExtractTrailer(key);
    return true;
  }

  void Fail(absl::Status status) {
    if (status.ok()) return;
    status_ = std::move(status);
    heap_.clear();
    runner_up_ = 0;
  }

  // Moves every child but the front one to the other side of the current entry. The front child
  // stays, so its key is a good target all the while. False: a child failed.
  bool TurnAround(bool forward) {
    Child* const current = heap_.front();
    const std::string_view target = key();
    Reset(forward);
    heap_.push_back(current);
    for (Child& child : children_) {
      if (&child == current) continue;
      MovePast(child, *current, target);
      if (!Collect(child)) return false;
    }
    // The current entry is before all others in the new direction: the heap's front is right
    // already.
    Heapify();
    SILTSTONE_DCHECK(heap_.front() == current);
    return true;
  }

  // To the child's first entry behind `current` in the present direction. A child that holds the
  // very same internal key stands before or behind by its index.
  void MovePast(Child& child, const Child& current, std::string_view target) {
    InternalIterator& iterator = *child.iterator;
    forward_ ? iterator.Seek(target) : iterator.SeekForPrev(target);
    const bool equal_is_passed = forward_ == (child.index < current.index);
    if (equal_is_passed && iterator.Valid() && iterator.key() == target) {
      forward_ ? iterator.Next() : iterator.Prev();
    }
  }

  bool Before(const Child& a, const Child& b) const {
    return forward_ ? Compare(a, b) < 0 : Compare(a, b) > 0;
  }

  int Compare(const Child& a, const Child& b) const {
    if (a.prefix != b.prefix) return a.prefix < b.prefix ? -1 : 1;
    const int order = order_.CompareUserKeys(a.user_key, b.user_key);
    if (order != 0) return order;
    if (a.trailer != b.trailer) return a.trailer > b.trailer ? -1 : 1;
    return a.index < b.index ? -1 : 1;
  }

  // After the front child has moved: the usual case is that it stays in front, one comparison.
  void RestoreAfterStep() {
    if (!Load(*heap_.front())) {
      if (!status_.ok()) return;
      heap_.front() = heap_.back();
      heap_.pop_back();
      if (heap_.empty()) return;
      SiftDown(0);
      runner_up_ = 0;
      return;
    }
    if (heap_.size() == 1) return;
    if (runner_up_ == 0) runner_up_ = SmallerOfChildren(0);
    if (Before(*heap_.front(), *heap_[runner_up_])) return;
    SiftDown(0);
    runner_up_ = 0;
  }

  void Heapify() {
    for (size_t place = heap_.size() / 2; place-- > 0;) SiftDown(place);
    runner_up_ = 0;
  }

  // REQUIRES: `place` has a child in the heap.
  size_t SmallerOfChildren(size_t place) const {
    const size_t left = 2 * place + 1;
    return left + 1 < heap_.size() && Before(*heap_[left + 1], *heap_[left]) ? left + 1 : left;
  }

  void SiftDown(size_t place) {
    Child* const moved = heap_[place];
    while (2 * place + 1 < heap_.size()) {
      const size_t smaller = SmallerOfChildren(place);
      if (!Before(*heap_[smaller], *moved)) break;
      heap_[place] = heap_[smaller];
      place = smaller;
    }
    heap_[place] = moved;
  }

  const KeyOrder order_;
  std::vector<Child> children_;
  std::vector<Child*> heap_;  // empty: invalid
  size_t runner_up_ = 0;      // 0: not known
  bool forward_ = true;
  absl::Status status_;
};

}  // namespace

std::unique_ptr<InternalIterator> NewMergingIterator(
    KeyOrder order, std::vector<std::unique_ptr<InternalIterator>> children) {
  if (children.size() == 1) return std::move(children.front());
  return std::make_unique<MergingIterator>(order, std::move(children));
}

}  // namespace siltstone
