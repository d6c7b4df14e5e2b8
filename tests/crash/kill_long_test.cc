#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/crash/kill_runner.h"

namespace siltstone {
namespace {

// SILTSTONE_KILLS asks for more or fewer.
int KillCount() {
  const char* text = std::getenv("SILTSTONE_KILLS");
  return text != nullptr ? std::atoi(text) : 200;
}

TEST(Kill, AcknowledgedWritesAndWholeBatchesSurvive) { ExpectKillsLoseNothing(KillCount()); }

}  // namespace
}  // namespace siltstone
