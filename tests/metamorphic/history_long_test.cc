#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "tests/metamorphic/history_check.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// SILTSTONE_HISTORY_OPERATIONS asks for more or fewer.
uint64_t OperationCount() {
  const char* text = std::getenv("SILTSTONE_HISTORY_OPERATIONS");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 1'000'000;
}

TEST(HistoryLong, EveryOptionSetGivesTheTranscriptOfTheModel) {
  const uint64_t taken = CheckHistories(TestSeed(1000), /*steps=*/2000, OperationCount());
  std::cout << taken << " steps\n";
}

}  // namespace
}  // namespace siltstone
