#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace siltstone {

// One call on a database, or one thing that happens to it. Which members count follows from the kind.
struct Step {
  enum class Kind {
    kPut,           // key, value
    kDelete,        // key
    kBatch,         // entries
    kPutIfAbsent,   // key, value
    kGet,           // key; at a snapshot where slot >= 0
    kMultiGet,      // the keys of entries; at a snapshot where slot >= 0
    kMayContain,    // key
    kSnapshot,      // taken into slot
    kOpenIterator,  // into slot, with the bounds
    kMove,          // of the iterator in slot: move, key
    kFlush,
    kCompact,  // lower, upper
    kVerify,
    kReopen,  // Close and Open; ends snapshots and iterators, as the two below
    kCrash,   // all that is not durable is lost; number chooses the model of the power cut
    kFault,   // the number-th call on the file system from here on fails, once
  };
  enum class Move { kSeekToFirst, kSeekToLast, kSeek, kSeekForPrev, kNext, kPrev };
  struct Entry {
    std::string key;
    std::optional<std::string> value;  // nullopt: a delete
  };

  Kind kind = Kind::kGet;
  std::string key = {};
  std::string value = {};
  std::vector<Entry> entries = {};
  int slot = -1;
  Move move = Move::kNext;
  std::optional<std::string> lower = {}, upper = {}, prefix = {};
  uint64_t number = 0;
};

using History = std::vector<Step>;

// Snapshots and iterators are kept in so many slots each.
inline constexpr int kHistorySlots = 3;

// A history of `count` steps, the same for the same seed. With `faults` some calls on the file system fail.
History MakeHistory(uint64_t seed, size_t count, bool faults);

// The history as the body of a C++ program against the public headers: what is printed of one that fails.
std::string ToProgram(const History& history);

}  // namespace siltstone
