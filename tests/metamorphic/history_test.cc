#include <iostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/metamorphic/history_check.h"
#include "tests/metamorphic/history_run.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

TEST(History, EveryOptionSetGivesTheTranscriptOfTheModel) {
  const uint64_t taken = CheckHistories(TestSeed(), /*steps=*/1000, /*operations=*/100'000);
  std::cout << taken << " steps under " << HistoryOptionSets().size() << " option sets\n";
  EXPECT_GE(HistoryOptionSets().size(), 20u);
}

TEST(History, ShrinkLeavesTheStepsThatMatter) {
  using Kind = Step::Kind;
  const auto fails = [](const History& history) {
    // A put, later a delete of the same key, later a flush.
    for (size_t i = 0; i < history.size(); ++i) {
      if (history[i].kind != Kind::kPut) continue;
      for (size_t j = i + 1; j < history.size(); ++j) {
        if (history[j].kind != Kind::kDelete || history[j].key != history[i].key) continue;
        for (size_t k = j + 1; k < history.size(); ++k) {
          if (history[k].kind == Kind::kFlush) return true;
        }
      }
    }
    return false;
  };
  const History history = MakeHistory(TestSeed(), 500, false);
  ASSERT_TRUE(fails(history));
  const History shrunk = Shrink(history, fails);
  ASSERT_EQ(shrunk.size(), 3u);
  EXPECT_EQ(shrunk[0].key, shrunk[1].key);
  const std::string program = ToProgram(shrunk);
  EXPECT_THAT(program, testing::HasSubstr("  (void)db->Put(std::string(\""));
  EXPECT_THAT(program, testing::HasSubstr("  (void)db->Flush();\n"));
}

}  // namespace
}  // namespace siltstone
