#include "memtable/ordered_table.h"

#include <bit>
#include <cstring>
#include <new>

#include "base/check.h"

namespace siltstone {

std::atomic<OrderedTable::Node*>& OrderedTable::Node::Link(int level) {
  // The tower lies below the node in the same piece of memory.
  return *reinterpret_cast<std::atomic<Node*>*>(reinterpret_cast<char*>(this) -
                                                sizeof(std::atomic<Node*>) * level);
}

OrderedTable::Node* OrderedTable::Node::Next(int level) const {
  return const_cast<Node*>(this)->Link(level).load(std::memory_order_acquire);
}

OrderedTable::OrderedTable(KeyOrder order, Arena* arena) : order_(order), arena_(arena), head_{} {
  static_assert(offsetof(Head, node) == sizeof(head_.tower),
                "the tower ends where the node begins");
  for (Node*& node : finger_) node = head();
}

int OrderedTable::Compare(const Node* node, const Target& target) const {
  if (node->prefix != target.prefix) return node->prefix < target.prefix ? -1 : 1;
  const int order = order_.CompareUserKeys(node->user_key(), target.user_key);
  if (order != 0) return order;
  const uint64_t trailer = ExtractTrailer(node->internal_key());
  return trailer > target.trailer ? -1 : trailer < target.trailer ? 1 : 0;
}

OrderedTable::Bracket OrderedTable::Find(const Target& target, bool inclusive, Node** path) const {
  const int limit = inclusive ? 1 : 0;  // a node is before the target when Compare is below it
  Node* before = head();
  Node* known_after = nullptr;  // compared on the level above: often met again on the level below
  for (int level = height_.load(std::memory_order_relaxed) - 1;; --level) {
    Node* after = before->Next(level);
    while (after != nullptr && after != known_after && Compare(after, target) < limit) {
      before = after;
      after = before->Next(level);
    }
    if (path != nullptr) path[level] = before;
    if (level == 0) return {before, after};
    known_after = after;
  }
}

bool OrderedTable::FollowsFinger(const Target& target) const {
  Node* last = finger_[0];
  if (last == head() || Compare(last, target) >= 0) return false;
  Node* after = last->Next(0);
  return after == nullptr || Compare(after, target) > 0;
}

OrderedTable::Node* OrderedTable::FindLast() const {
  Node* last = head();
  for (int level = height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    while (Node* next = last->Next(level)) last = next;
  }
  return last == head() ? nullptr : last;
}

OrderedTable::Node* OrderedTable::NewNode(const Target& target, std::string_view value,
                                          int height) {
  const size_t tower_bytes = sizeof(std::atomic<Node*>) * static_cast<size_t>(height - 1);
  char* memory = arena_->Allocate(tower_bytes + sizeof(Node) + target.user_key.size() +
                                  kTrailerBytes + value.size());
  for (int i = 0; i + 1 < height; ++i) {
    new (memory + sizeof(std::atomic<Node*>) * i) std::atomic<Node*>(nullptr);
  }
  Node* node = new (memory + tower_bytes) Node;
  node->prefix = target.prefix;
  node->key_size = static_cast<uint32_t>(target.user_key.size());
  node->value_size = static_cast<uint32_t>(value.size());
  char* out = memory + tower_bytes + sizeof(Node);
  // An empty view may carry a null pointer, which memcpy must not be given.
  if (!target.user_key.empty()) std::memcpy(out, target.user_key.data(), target.user_key.size());
  out += target.user_key.size();
  std::memcpy(out, &target.trailer, kTrailerBytes);
  if (!value.empty()) std::memcpy(out + kTrailerBytes, value.data(), value.size());
  return node;
}

int OrderedTable::RandomHeight() {
  // xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016);
  // each level keeps a quarter of the nodes.
  random_state_ ^= random_state_ >> 12;
  random_state_ ^= random_state_ << 25;
  random_state_ ^= random_state_ >> 27;
  const uint64_t bits = random_state_ * 0x2545f4914f6cdd1d;
  const int height = 1 + std::countl_zero(bits) / 2;
  return height < kMaxHeight ? height : kMaxHeight;
}

void OrderedTable::Insert(std::string_view user_key, uint64_t trailer, std::string_view value) {
  SILTSTONE_CHECK(user_key.size() <= kMaxPartBytes && value.size() <= kMaxPartBytes);
  const Target target = MakeTarget(user_key, trailer);
  if (!FollowsFinger(target)) {
    const Bracket place = Find(target, /*inclusive=*/false, finger_);
    SILTSTONE_DCHECK(place.after == nullptr || Compare(place.after, target) != 0);
  }
  const int height = RandomHeight();
  Node* node = NewNode(target, value, height);
  for (int level = 0; level < height; ++level) {
    SILTSTONE_DCHECK(finger_[level] == head() || Compare(finger_[level], target) < 0);
    node->Link(level).store(finger_[level]->Next(level), std::memory_order_relaxed);
  }
  // A reader that sees the new height before the links finds the end of the head's level there: no
  // harm.
  if (height > height_.load(std::memory_order_relaxed)) {
    height_.store(height, std::memory_order_relaxed);
  }
  // From the bottom up, so that level l + 1 never shows a node which level l does not (O1).
  for (int level = 0; level < height; ++level) {
    finger_[level]->Link(level).store(node, std::memory_order_release);
    finger_[level] = node;
  }
}

void OrderedTable::Cursor::SeekToFirst() { node_ = table_->head()->Next(0); }

void OrderedTable::Cursor::SeekToLast() { node_ = table_->FindLast(); }

void OrderedTable::Cursor::Seek(std::string_view user_key, uint64_t trailer) {
  node_ = table_->Find(table_->MakeTarget(user_key, trailer), false, nullptr).after;
}

void OrderedTable::Cursor::SeekForPrev(std::string_view user_key, uint64_t trailer) {
  const Node* node = table_->Find(table_->MakeTarget(user_key, trailer), true, nullptr).before;
  node_ = node == table_->head() ? nullptr : node;
}

void OrderedTable::Cursor::Next() {
  SILTSTONE_DCHECK(Valid());
  node_ = node_->Next(0);
}

void OrderedTable::Cursor::Prev() {
  SILTSTONE_DCHECK(Valid());
  const Target target{node_->user_key(), trailer(), node_->prefix};
  const Node* node = table_->Find(target, false, nullptr).before;
  node_ = node == table_->head() ? nullptr : node;
}

std::string_view OrderedTable::Cursor::internal_key() const {
  SILTSTONE_DCHECK(Valid());
  return node_->internal_key();
}

std::string_view OrderedTable::Cursor::user_key() const {
  SILTSTONE_DCHECK(Valid());
  return node_->user_key();
}

uint64_t OrderedTable::Cursor::trailer() const { return ExtractTrailer(internal_key()); }

std::string_view OrderedTable::Cursor::value() const {
  SILTSTONE_DCHECK(Valid());
  return node_->value();
}

bool OrderedTable::Cursor::HasUserKey(std::string_view user_key) const {
  SILTSTONE_DCHECK(Valid());
  return node_->key_size == user_key.size() && node_->user_key() == user_key;
}

}  // namespace siltstone
