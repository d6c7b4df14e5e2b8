#include <gtest/gtest.h>

#include "tests/crash/kill_runner.h"

namespace siltstone {
namespace {

TEST(Kill, AcknowledgedWritesAndWholeBatchesSurvive) { ExpectKillsLoseNothing(/*rounds=*/20); }

}  // namespace
}  // namespace siltstone
