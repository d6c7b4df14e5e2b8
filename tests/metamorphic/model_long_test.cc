#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/metamorphic/model_runner.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// SILTSTONE_MODEL_OPERATIONS asks for more or fewer.
uint64_t OperationCount() {
  const char* text = std::getenv("SILTSTONE_MODEL_OPERATIONS");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 2'000'000;
}

TEST(ModelLong, TheDatabaseAnswersAsAMapDoes) {
  const uint64_t operations = OperationCount();
  const ModelCounts counts = RunAllModels(TestSeed(1), operations);
  if (HasFailure()) return;
  EXPECT_GE(counts.operations, operations);
  EXPECT_GT(counts.flushes, operations / 300);
  EXPECT_GT(counts.compactions, operations / 1000);
  EXPECT_GT(counts.trivial_moves, operations / 20'000);
  EXPECT_GT(counts.reopens, operations / 5000);
}

}  // namespace
}  // namespace siltstone
