#include "engine/manifest/version.h"

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/manifest/version_builder.h"
#include "tests/manifest/manifest_fixture.h"

namespace siltstone {
namespace {

using manifest_test::MakeMeta;
using manifest_test::MakeTable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const KeyOrder kOrder(BytewiseComparator());

using TableList = std::vector<std::shared_ptr<Table>>;
using LevelLists = std::vector<std::pair<int, TableList>>;  // a level and one of its runs

std::shared_ptr<const Version> MakeVersion(const LevelLists& runs) {
  std::array<Level, kLevelCount> levels;
  for (const auto& run : runs) {
    levels[static_cast<size_t>(run.first)].runs.emplace_back(kOrder, run.second);
  }
  return std::make_shared<const Version>(kOrder, std::move(levels));
}

std::vector<uint64_t> NumbersOf(const TableList& tables) {
  std::vector<uint64_t> numbers;
  for (const auto& table : tables) numbers.push_back(table->meta.number);
  return numbers;
}

std::vector<uint64_t> NumbersOf(const Version& version, int level) {
  return NumbersOf(version.Overlapping(level, std::nullopt, std::nullopt));
}

std::string FaultOf(const LevelLists& runs) {
  const absl::Status status = MakeVersion(runs)->CheckInvariants();
  EXPECT_EQ(status.code(), status.ok() ? absl::StatusCode::kOk : absl::StatusCode::kInternal);
  return std::string(status.message());
}

TEST(Version, GoodOnesKeepTheInvariants) {
  EXPECT_TRUE(Version(kOrder).CheckInvariants().ok());
  EXPECT_EQ(FaultOf({{0, {MakeTable(3, "a", "z", {20, 29})}},
                     {0, {MakeTable(2, "a", "z", {10, 19})}},
                     {1, {MakeTable(4, "a", "c"), MakeTable(5, "d", "d"), MakeTable(6, "e", "z")}},
                     {6, {MakeTable(7, "a", "z")}}}),
            "");
}

TEST(Version, BrokenInvariantsAreNamed) {
  EXPECT_THAT(FaultOf({{0, {MakeTable(1, "a", "b"), MakeTable(2, "c", "d")}}}),
              HasSubstr("level 0: a run of 2 tables"));
  EXPECT_THAT(
      FaultOf({{0, {MakeTable(1, "a", "b", {1, 9})}}, {0, {MakeTable(2, "a", "b", {10, 19})}}}),
      HasSubstr("begins at sequence number 1, but the older"));
  EXPECT_THAT(
      FaultOf({{0, {MakeTable(1, "a", "b", {5, 9})}}, {0, {MakeTable(2, "c", "d", {1, 5})}}}),
      HasSubstr("ends at 5"));
  EXPECT_THAT(FaultOf({{2, {MakeTable(1, "a", "b")}}, {2, {MakeTable(2, "c", "d")}}}),
              HasSubstr("level 2: 2 runs"));
  EXPECT_THAT(FaultOf({{2, {}}}), HasSubstr("without tables"));
  EXPECT_THAT(FaultOf({{2, {MakeTable(1, "a", "c"), MakeTable(2, "c", "d")}}}),
              HasSubstr("ends at \"c\", but"));
  EXPECT_THAT(FaultOf({{2, {MakeTable(1, "x", "z"), MakeTable(2, "a", "b")}}}),
              HasSubstr("ends at"));
  EXPECT_THAT(FaultOf({{2, {MakeTable(1, "z", "a")}}}), HasSubstr("above its largest"));
  EXPECT_THAT(FaultOf({{2, {MakeTable(1, "a", "c")}}, {3, {MakeTable(1, "a", "c")}}}),
              HasSubstr("000001-000000000001.sst is there twice"));
}

TEST(Version, OverlappingTakesBothEndsIn) {
  const auto version =
      MakeVersion({{0, {MakeTable(9, "a", "k", {20, 29})}},
                   {0, {MakeTable(8, "k", "z", {10, 19})}},
                   {2, {MakeTable(1, "b", "d"), MakeTable(2, "f", "h"), MakeTable(3, "j", "l")}}});
  const auto overlapping = [&](int level, std::optional<std::string_view> begin,
                               std::optional<std::string_view> end) {
    return NumbersOf(version->Overlapping(level, begin, end));
  };
  EXPECT_THAT(overlapping(2, std::nullopt, std::nullopt), ElementsAre(1, 2, 3));
  EXPECT_THAT(overlapping(2, "d", "f"), ElementsAre(1, 2));
  EXPECT_THAT(overlapping(2, "e", "e"), IsEmpty());
  EXPECT_THAT(overlapping(2, "e", std::nullopt), ElementsAre(2, 3));
  EXPECT_THAT(overlapping(2, std::nullopt, "b"), ElementsAre(1));
  EXPECT_THAT(overlapping(2, "m", "z"), IsEmpty());
  EXPECT_THAT(overlapping(2, "g", "b"), IsEmpty());
  EXPECT_THAT(overlapping(0, "k", "k"), ElementsAre(9, 8));
  EXPECT_THAT(overlapping(0, "l", "l"), ElementsAre(8));
  EXPECT_THAT(overlapping(1, "a", "z"), IsEmpty());
}

TEST(Version, KnowsWhatMayLieBeneath) {
  const auto version = MakeVersion({{1, {MakeTable(1, "a", "c")}},
                                    {2, {MakeTable(2, "b", "d"), MakeTable(3, "x", "z")}},
                                    {5, {MakeTable(4, "p", "q")}}});
  EXPECT_TRUE(version->HasKeyBelow(0, "a"));
  EXPECT_FALSE(version->HasKeyBelow(1, "a"));
  EXPECT_TRUE(version->HasKeyBelow(1, "b"));
  EXPECT_FALSE(version->HasKeyBelow(2, "b"));
  EXPECT_TRUE(version->HasKeyBelow(4, "p"));
  EXPECT_FALSE(version->HasKeyBelow(5, "p"));
  EXPECT_FALSE(version->HasKeyBelow(6, "p"));
}

TEST(Version, TellsCountsAndSizes) {
  const auto version = MakeVersion(
      {{1, {MakeTable(1, "a", "c"), MakeTable(2, "d", "e")}}, {2, {MakeTable(3, "b", "d")}}});
  EXPECT_EQ(version->LevelTableCount(1), 2u);
  EXPECT_EQ(version->table_count(), 3u);
  EXPECT_EQ(version->LevelSizeBytes(1), 2003u);
  std::vector<std::pair<int, uint64_t>> seen;
  version->ForEachTable(
      [&](int level, const Table& table) { seen.emplace_back(level, table.meta.number); });
  EXPECT_THAT(seen, ElementsAre(std::pair(1, 1), std::pair(1, 2), std::pair(2, 3)));
}

TEST(VersionBuilder, TakesOverMovesAddsAndDrops) {
  const TableList tables = {MakeTable(1, "a", "c"), MakeTable(2, "d", "f"), MakeTable(3, "a", "z"),
                            MakeTable(4, "g", "i"), MakeTable(5, "a", "b", {10, 19})};
  VersionEdit edit;
  edit.added = {{1, tables[1]->meta}, {1, tables[0]->meta}, {2, tables[2]->meta}};
  const auto first = BuildVersion(kOrder, Version(kOrder), edit, tables);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE((*first)->CheckInvariants().ok());
  EXPECT_THAT(NumbersOf(**first, 1), ElementsAre(1, 2));

  edit = {};
  edit.removed = {{2, 1, 3}, {1, 1, 2}};
  edit.added = {{2, tables[1]->meta}, {1, tables[3]->meta}, {0, tables[4]->meta}};
  EXPECT_THAT(NumbersOf(TablesLeaving(**first, edit)), ElementsAre(3));
  // The moved table need not be given again.
  const auto second = BuildVersion(kOrder, **first, edit, TableList{tables[3], tables[4]});
  ASSERT_TRUE(second.ok()) << second.status();
  ASSERT_TRUE((*second)->CheckInvariants().ok());
  EXPECT_THAT(NumbersOf(**second, 0), ElementsAre(5));
  EXPECT_THAT(NumbersOf(**second, 1), ElementsAre(1, 4));
  EXPECT_THAT(NumbersOf(**second, 2), ElementsAre(2));
  EXPECT_EQ((*second)->Overlapping(2, {}, {}).front(), tables[1]) << "the same object";
  EXPECT_EQ(tables[1]->level(), 2);
  EXPECT_THAT(NumbersOf(**first, 2), ElementsAre(3)) << "the base is as it was";
}

TEST(VersionBuilder, Level0IsNewestFirst) {
  const TableList tables = {MakeTable(1, "a", "c", {1, 9}), MakeTable(2, "a", "c", {20, 29}),
                            MakeTable(3, "a", "c", {10, 19})};
  VersionEdit edit;
  for (const auto& table : tables) edit.added.push_back({0, table->meta});
  const auto version = BuildVersion(kOrder, Version(kOrder), edit, tables);
  ASSERT_TRUE(version.ok());
  EXPECT_TRUE((*version)->CheckInvariants().ok());
  EXPECT_THAT(NumbersOf(**version, 0), ElementsAre(2, 3, 1));
  EXPECT_EQ((*version)->level(0).runs.size(), 3u);
}

TEST(VersionBuilder, RefusesWhatIsNotThere) {
  VersionEdit edit;
  edit.added = {{1, MakeMeta(1, "a", "b")}};
  EXPECT_EQ(BuildVersion(kOrder, Version(kOrder), edit, {}).status().code(),
            absl::StatusCode::kInternal);
  edit = {};
  edit.removed = {{1, 1, 1}};
  EXPECT_EQ(BuildVersion(kOrder, Version(kOrder), edit, {}).status().code(),
            absl::StatusCode::kInternal);
}

TEST(VersionBuilder, ALevelThatBecomesEmptyHasNoRun) {
  const auto base = MakeVersion({{1, {MakeTable(1, "a", "c")}}});
  VersionEdit edit;
  edit.removed = {{1, 1, 1}};
  const auto version = BuildVersion(kOrder, *base, edit, {});
  ASSERT_TRUE(version.ok());
  EXPECT_THAT((*version)->level(1).runs, IsEmpty());
  EXPECT_TRUE((*version)->CheckInvariants().ok());
}

TEST(Table, AnObsoleteOneIsHandedInWhenTheLastUserLetsGo) {
  std::vector<std::string> handed_in;
  const auto sink = [&](const std::string& name) { handed_in.push_back(name); };
  auto table = std::make_shared<Table>(MakeMeta(7, "a", "b"), nullptr, 0, sink);
  std::shared_ptr<const Version> version = MakeVersion({{1, {table}}});
  table->MarkObsolete();
  table.reset();
  EXPECT_THAT(handed_in, IsEmpty());
  std::thread([&] { version.reset(); }).join();
  EXPECT_THAT(handed_in, ElementsAre("000001-000000000007.sst"));
}

TEST(Table, ALiveOneIsNotHandedIn) {
  bool called = false;
  std::make_shared<Table>(MakeMeta(7, "a", "b"), nullptr, 0, [&](const std::string&) {
    called = true;
  }).reset();
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace siltstone
