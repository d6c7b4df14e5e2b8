#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/internal_key.h"
#include "memtable/arena.h"

// The order inside a memtable: a skip list that one thread fills while any number read it.

namespace siltstone {

// Entries (user key, trailer) -> value in KeyOrder order; entries are added, never changed or
// removed.
//
// Why a skip list: an insert moves nothing, so readers need no lock and may keep pointers. (W.
// Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees", CACM 33(6), 1990.)
//
// Format of a node in memory, so that a search that is decided by the prefix touches one cache line
// a node:
//
//   next[height-1] .. next[1] | next[0], key prefix, key size, value size | user key, trailer |
//   value
//                             ^ Node*
//
// The tower grows downwards: the place of the key does not depend on the height. User key and
// trailer are the internal key as it stands on disk.
//
// Invariants:
//   O1. On each level the nodes ascend strictly; the nodes of level l + 1 are among those of level
//   l. O2. A node is complete before a release store makes it reachable; readers follow links by
//   acquire loads. O3. finger_[l] is the last node of level l at or before the node inserted last
//   (the head when none is).
//
// Thread safety: Insert by one thread at a time; everything else by any thread at any time, also
// during Insert. The arena must outlive the table. Cost: O(log n) comparisons; Insert just behind
// the entry inserted last is O(1).
class OrderedTable {
  struct Node;

 public:
  static constexpr int kMaxHeight = 16;
  // Both sizes are kept in 32 bits. The public limits (8 MiB, 64 MiB) are far below.
  static constexpr size_t kMaxPartBytes = size_t{1} << 31;

  OrderedTable(KeyOrder order, Arena* arena);
  OrderedTable(const OrderedTable&) = delete;
  OrderedTable& operator=(const OrderedTable&) = delete;

  // Copies all parts into the arena. REQUIRES: no entry has this user key and trailer; each part is
  // at most kMaxPartBytes (checked).
  void Insert(std::string_view user_key, uint64_t trailer, std::string_view value);

  // A place in the table. Single-threaded itself; any number of them may exist beside a writer.
  // Entries that are added meanwhile may or may not be met.
  class Cursor {
   public:
    explicit Cursor(const OrderedTable* table) : table_(table) {}

    bool Valid() const { return node_ != nullptr; }
    void SeekToFirst();
    void SeekToLast();
    // To the first entry at or after (user_key, trailer).
    void Seek(std::string_view user_key, uint64_t trailer);
    // To the last entry at or before (user_key, trailer).
    void SeekForPrev(std::string_view user_key, uint64_t trailer);
    // REQUIRES of all below: Valid().
    void Next();
    void Prev();
    std::string_view internal_key() const;
    std::string_view user_key() const;
    uint64_t trailer() const;
    std::string_view value() const;
    // Whether the entry has this user key; a comparison of words unless it has.
    bool HasUserKey(std::string_view user_key) const;

   private:
    const OrderedTable* table_;
    const Node* node_ = nullptr;
  };

 private:
  struct Node {
    std::atomic<Node*> next0;
    uint64_t prefix;
    uint32_t key_size;
    uint32_t value_size;

    std::atomic<Node*>& Link(int level);
    Node* Next(int level) const;
    const char* key_data() const { return reinterpret_cast<const char*>(this + 1); }
    std::string_view user_key() const { return {key_data(), key_size}; }
    std::string_view internal_key() const { return {key_data(), key_size + kTrailerBytes}; }
    std::string_view value() const { return {key_data() + key_size + kTrailerBytes, value_size}; }
  };
  // The head: a node of full height without an entry.
  struct Head {
    std::atomic<Node*> tower[kMaxHeight - 1];
    Node node;
  };
  struct Target {
    std::string_view user_key;
    uint64_t trailer;
    uint64_t prefix;
  };
  struct Bracket {
    Node* before;  // never null: the head stands before all
    Node* after;   // null: none
  };

  Target MakeTarget(std::string_view user_key, uint64_t trailer) const {
    return {user_key, trailer, order_.Prefix(user_key)};
  }
  // Negative when the node sorts before the target.
  int Compare(const Node* node, const Target& target) const;
  // The last node before the target (at or before it, when inclusive) and the one that followed it
  // then. Not null: `path` gets the last node before the target on each level.
  Bracket Find(const Target& target, bool inclusive, Node** path) const;
  // Whether the target belongs right behind the entry inserted last.
  bool FollowsFinger(const Target& target) const;
  Node* FindLast() const;
  Node* NewNode(const Target& target, std::string_view value, int height);
  int RandomHeight();
  Node* head() const { return const_cast<Node*>(&head_.node); }

  const KeyOrder order_;
  Arena* const arena_;
  Head head_;
  std::atomic<int> height_{1};  // of the tallest node; readers may see an older, lower one
  Node* finger_[kMaxHeight];    // the writer's
  uint64_t random_state_ = 0x9e3779b97f4a7c15;  // the writer's
};

}  // namespace siltstone
