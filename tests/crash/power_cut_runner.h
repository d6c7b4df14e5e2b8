#pragma once

#include <cstdint>
#include <string>

namespace siltstone {

// What a run of power cuts showed.
struct PowerCutReport {
  uint64_t cuts = 0;              // images that were opened and compared
  uint64_t cuts_in_recovery = 0;  // of these: of a recovery from another cut
  uint64_t histories = 0;
  uint64_t operations = 0;  // acknowledged, over all histories
  std::string failure;      // empty: all was as it must be

  std::string ToString() const;
};

// Runs histories of a small database until `cuts` power cuts have been tried. The power goes before calls on the file
// system, those of background jobs too, in the four models of CrashFileSystem in turn; the database is opened, and
// while it recovers the power goes again. Each time all that was acknowledged under kSync before the cut is there
// (with `sync` false: of writes under kBuffered, any prefix), and what is there is a prefix of the history, batches
// whole. The same seed makes the same histories; when background work runs beside them is up to the machine.
PowerCutReport RunPowerCuts(uint64_t seed, bool sync, uint64_t cuts);

}  // namespace siltstone
