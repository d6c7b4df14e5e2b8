#include "tests/metamorphic/history_check.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/metamorphic/history_run.h"

namespace siltstone {
namespace {

// What background work does beside a history differs from run to run.
bool FailsSometimes(const History& history, const HistoryOptionSet& set) {
  const Transcript expected = RunOnModel(history);
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (RunOnDatabase(history, set) != expected) return true;
  }
  return false;
}

}  // namespace

uint64_t CheckHistories(uint64_t seed, uint64_t steps, uint64_t operations) {
  const std::vector<HistoryOptionSet> sets = HistoryOptionSets();
  uint64_t taken = 0;
  for (uint64_t round = 0; taken < operations; ++round) {
    const History history = MakeHistory(seed + round, steps, /*faults=*/round % 2 == 1);
    const Transcript expected = RunOnModel(history);
    for (const HistoryOptionSet& set : sets) {
      const Transcript found = RunOnDatabase(history, set);
      taken += history.size();
      if (found == expected) continue;
      const History shrunk =
          Shrink(history, [&](const History& part) { return FailsSometimes(part, set); });
      ADD_FAILURE() << "seed " << seed + round << ", " << set.name << ": "
                    << FirstDifference(expected, found) << "\nshrunk to " << shrunk.size()
                    << " steps, of which "
                    << FirstDifference(RunOnModel(shrunk), RunOnDatabase(shrunk, set)) << ":\n"
                    << ToProgram(shrunk);
      return taken;
    }
  }
  return taken;
}

}  // namespace siltstone
