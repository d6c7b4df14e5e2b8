#pragma once

#include <functional>
#include <string>
#include <vector>

#include "siltstone/options.h"

#include "tests/metamorphic/history.h"

namespace siltstone {

// What each step of a history answered, a line each.
using Transcript = std::vector<std::string>;

// One way to run a history.
struct HistoryOptionSet {
  std::string name;
  Options options;       // without a file system and create_if_missing
  bool on_disk = false;  // the POSIX file system; else one in memory that can lose its power
};

// More than twenty, all in the bytewise order, so that all transcripts of a history are the same: every kind and
// allocation of filters, compression, sizes down to the smallest, one to four jobs, every durability.
std::vector<HistoryOptionSet> HistoryOptionSets();

// The transcript that is right: of a std::map.
Transcript RunOnModel(const History& history);

// The transcript of the engine. A call that fails because of a kFault is made again after Resume; so a transcript
// tells nothing of faults. kCrash takes the power where every write is synced, kills the process (in effect) where it
// is buffered, and flushes before where there is no log.
Transcript RunOnDatabase(const History& history, const HistoryOptionSet& set);

// The first step of which the two transcripts differ, in words; empty when none does.
std::string FirstDifference(const Transcript& expected, const Transcript& found);

// A shorter history that still fails: no single step of it can be left out. Zeller's ddmin.
// REQUIRES: fails(history). Cost: about n log n to n^2 runs, fewer when few steps matter.
History Shrink(History history, const std::function<bool(const History&)>& fails);

}  // namespace siltstone
