#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "base/internal_key.h"
#include "memtable/memtable.h"

// What the memtable tests compare with: a std::map of internal keys.

namespace siltstone {

// The seed of a random test: SILTSTONE_TEST_SEED, or the test's own.
inline uint64_t TestSeed(uint64_t fallback) {
  const char* text = std::getenv("SILTSTONE_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

// Byte order backwards.
class ReverseComparator final : public Comparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override { return b.compare(a); }
  std::string_view name() const override { return "test.reverse"; }
};

struct InternalLess {
  KeyOrder order;
  bool operator()(const std::string& a, const std::string& b) const {
    return order.CompareInternalKeys(a, b) < 0;
  }
};

// Written beside a memtable with the same calls. Single-threaded.
class MemTableModel {
 public:
  using Map = std::map<std::string, std::string, InternalLess>;

  explicit MemTableModel(KeyOrder order) : entries_(InternalLess{order}), order_(order) {}

  void Add(SequenceNumber sequence, ValueType type, std::string_view key, std::string_view value) {
    entries_[MakeInternalKey(key, PackTrailer(sequence, type))] = value;
  }

  // A state and a value, as MemTable::Get gives them.
  MemTableLookup Get(std::string_view user_key, SequenceNumber snapshot) const {
    const auto it = entries_.lower_bound(MakeInternalKey(user_key, SeekTrailer(snapshot)));
    if (it == entries_.end() || ExtractUserKey(it->first) != user_key) return {};
    const uint64_t trailer = ExtractTrailer(it->first);
    if ((trailer & 0xff) == 0) {
      return {.state = MemTableLookup::State::kDeleted, .sequence = TrailerSequence(trailer)};
    }
    return {MemTableLookup::State::kFound, it->second, TrailerSequence(trailer)};
  }

  const Map& entries() const { return entries_; }
  KeyOrder order() const { return order_; }

 private:
  Map entries_;
  KeyOrder order_;
};

// Keys that collide often, share eight-byte prefixes, hold zero bytes and may be empty.
inline std::string RandomKey(std::mt19937_64& random) {
  static constexpr std::string_view kHeads[] = {"", "same-prefix", "same-pre", "\xff\xff", "k"};
  std::string key(kHeads[random() % 5]);
  const size_t tail = random() % 4;
  for (size_t i = 0; i < tail; ++i) key.push_back("\0a\xff"[random() % 3]);
  if (random() % 2 == 0) key += std::to_string(random() % 100);
  return key;
}

// Fills both alike with `count` entries: puts and deletions, sequences ascending from
// `first_sequence`.
inline void FillBoth(std::mt19937_64& random, int count, SequenceNumber first_sequence,
                     MemTable* memtable, MemTableModel* model) {
  for (int i = 0; i < count; ++i) {
    const SequenceNumber sequence = first_sequence + static_cast<SequenceNumber>(i);
    const std::string key = RandomKey(random);
    const bool deletion = random() % 4 == 0;
    const std::string value = deletion ? "" : std::string(random() % 30, 'v') + std::to_string(i);
    const ValueType type = deletion ? ValueType::kDeletion : ValueType::kValue;
    memtable->Add(sequence, type, key, value);
    model->Add(sequence, type, key, value);
  }
}

}  // namespace siltstone
