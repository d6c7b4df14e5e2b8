#include "tools/shell_words.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/line_source.h"

namespace siltstone::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Words(std::string_view line) {
  absl::StatusOr<std::vector<std::string>> words = SplitShellWords(line);
  EXPECT_TRUE(words.ok()) << words.status();
  return words.ok() ? *words : std::vector<std::string>{};
}

TEST(ShellWords, WordsLieBetweenSpaces) {
  EXPECT_THAT(Words("  put  a\tb "), ElementsAre("put", "a", "b"));
  EXPECT_THAT(Words(""), IsEmpty());
  EXPECT_THAT(Words("  # nothing"), IsEmpty());
  EXPECT_THAT(Words("get a#b # c"), ElementsAre("get", "a#b"));
}

TEST(ShellWords, QuotesKeepSpacesAndEmptyWords) {
  EXPECT_THAT(Words(R"(put "a key" "" 'it is "so"')"),
              ElementsAre("put", "a key", "", R"(it is "so")"));
  EXPECT_THAT(Words(R"(a"b c"d)"), ElementsAre("ab cd"));
}

TEST(ShellWords, EscapesGiveAnyByte) {
  EXPECT_THAT(Words(R"(put \x00\xff "a\tb\n\0\"\\")"),
              ElementsAre("put", std::string("\0\xff", 2), std::string("a\tb\n\0\"\\", 7)));
  EXPECT_THAT(Words(R"(a\ b '\n')"), ElementsAre("a b", "\\n"));
}

TEST(ShellWords, OpenQuotesAndUnknownEscapesAreFaults) {
  for (const char* bad :
       {R"(get "a)", "get 'a", "get a\\", R"(get \q)", R"(get \x4)", R"(get "a\")"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(SplitShellWords(bad).status())) << bad;
  }
}

TEST(LineSource, VerbsAreCompletedAsFarAsTheyAgree) {
  const std::vector<std::string> verbs = {"get", "export", "explain", "exit"};
  EXPECT_EQ(CompleteVerb("g", verbs), "get ");
  EXPECT_EQ(CompleteVerb("e", verbs), "ex");
  EXPECT_EQ(CompleteVerb("exp", verbs), "exp");
  EXPECT_EQ(CompleteVerb("expo", verbs), "export ");
  EXPECT_EQ(CompleteVerb("x", verbs), "");
}

}  // namespace
}  // namespace siltstone::tools
