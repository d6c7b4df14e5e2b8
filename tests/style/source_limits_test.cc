#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/style/include_graph.h"

namespace siltstone::style {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kMaxLines = 450;

std::vector<std::string> FindLongFiles(const SourceTree& tree) {
  std::vector<std::string> faults;
  for (const auto& [path, text] : tree) {
    const auto lines = std::count(text.begin(), text.end(), '\n');
    if (!path.starts_with("tests/") && lines > kMaxLines) {
      faults.push_back(path + ": " + std::to_string(lines) + " lines, at most " +
                       std::to_string(kMaxLines));
    }
  }
  return faults;
}

std::vector<std::string> FindVagueFolders(const SourceTree& tree) {
  static const std::set<std::string> kVague = {"util", "utils", "common", "misc"};
  std::set<std::string> faults;
  for (const auto& [path, text] : tree) {
    size_t start = 0;
    for (size_t end; (end = path.find('/', start)) != std::string::npos; start = end + 1) {
      if (kVague.contains(path.substr(start, end - start))) faults.insert(path.substr(0, end));
    }
  }
  return {faults.begin(), faults.end()};
}

std::string Lines(int count) { return std::string(static_cast<size_t>(count), '\n'); }

TEST(SourceLimits, NoFileOfTheRepositoryIsTooLong) {
  EXPECT_THAT(FindLongFiles(ReadSourceTree(SILTSTONE_SOURCE_DIR)), IsEmpty());
}

TEST(SourceLimits, NoFolderOfTheRepositoryHasAVagueName) {
  EXPECT_THAT(FindVagueFolders(ReadSourceTree(SILTSTONE_SOURCE_DIR)), IsEmpty());
}

TEST(SourceLimits, ALongFileIsAFaultOutsideTestsOnly) {
  EXPECT_THAT(FindLongFiles({{"base/at_limit.cc", Lines(450)},
                             {"base/over_limit.cc", Lines(451)},
                             {"tests/base/long_test.cc", Lines(900)}}),
              ElementsAre("base/over_limit.cc: 451 lines, at most 450"));
}

TEST(SourceLimits, AVagueFolderIsAFaultAtAnyDepth) {
  EXPECT_THAT(FindVagueFolders({{"base/util/x.h", ""},
                                {"engine/common/a.h", ""},
                                {"engine/common/b.h", ""},
                                {"base/common.h", ""},
                                {"tests/misc/y.cc", ""}}),
              ElementsAre("base/util", "engine/common", "tests/misc"));
}

}  // namespace
}  // namespace siltstone::style
