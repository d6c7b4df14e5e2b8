#include <gtest/gtest.h>

#include "tests/metamorphic/model_runner.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

TEST(Model, TheDatabaseAnswersAsAMapDoes) {
  constexpr uint64_t kOperations = 100'000;
  const ModelCounts counts = RunAllModels(TestSeed(20240607), kOperations);
  if (HasFailure()) return;
  EXPECT_GE(counts.operations, kOperations);
  EXPECT_GT(counts.flushes, 300u);
  EXPECT_GT(counts.compactions, 100u);
  EXPECT_GT(counts.trivial_moves, 5u);
  EXPECT_GT(counts.reopens, 16u);
}

}  // namespace
}  // namespace siltstone
