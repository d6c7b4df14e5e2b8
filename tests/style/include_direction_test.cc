#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/style/include_graph.h"

namespace siltstone::style {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Including(const std::string& name) { return "#include \"" + name + "\"\n"; }

// The faults of a tree in which `from` includes `to`.
std::vector<std::string> FaultsOfEdge(const std::string& from, const std::string& to) {
  return FindIncludeFaults({{from, Including(to)}, {to, ""}});
}

TEST(IncludeDirection, TheRepositoryKeepsIt) {
  const SourceTree tree = ReadSourceTree(SILTSTONE_SOURCE_DIR);
  ASSERT_TRUE(tree.contains("include/siltstone/export.h")) << "no sources in " SILTSTONE_SOURCE_DIR;
  EXPECT_THAT(FindIncludeFaults(tree), IsEmpty());
}

TEST(IncludeDirection, EdgesDownwardsAreFine) {
  const std::vector<std::pair<std::string, std::string>> edges = {
      {"base/coding.cc", "base/coding.h"},
      {"filter/bloom.cc", "base/hash.h"},
      {"sstable/table_reader.cc", "sstable/block_reader.h"},
      {"engine/wal/log_reader.cc", "base/checksum.h"},
      {"engine/manifest/version.h", "sstable/table_reader.h"},
      {"engine/manifest/manifest_writer.cc", "engine/wal/log_writer.h"},
      {"engine/read/point_lookup.cc", "engine/manifest/version.h"},
      {"engine/compaction/job.cc", "engine/read/merging_iterator.h"},
      {"engine/write/group_commit.cc", "engine/wal/log_writer.h"},
      {"engine/recovery/replay.cc", "engine/write/batch_codec.h"},
      {"engine/recovery/replay.cc", "engine/compaction/job.h"},
      {"engine/maintenance/verify.cc", "engine/read/point_lookup.h"},
      {"engine/db_open.cc", "engine/recovery/replay.h"},
      {"engine/db_open.cc", "engine/db_impl.h"},
      {"tools/verbs.cc", "engine/db_impl.h"},
      {"tests/wal/log_reader_test.cc", "engine/wal/log_reader.h"},
      {"tests/tools/output_test.cc", "tools/output.h"},
  };
  for (const auto& [from, to] : edges) {
    EXPECT_THAT(FaultsOfEdge(from, to), IsEmpty()) << from << " includes " << to;
  }
}

TEST(IncludeDirection, EdgesUpwardsAndSidewaysAreFaults) {
  const std::vector<std::pair<std::string, std::string>> edges = {
      {"include/siltstone/db.h", "base/coding.h"},
      {"base/coding.h", "filter/bloom.h"},
      {"filter/bloom.cc", "sstable/filter_block.h"},
      {"sstable/filter_block.cc", "filter/bloom.h"},
      {"memtable/memtable.cc", "sstable/block_writer.h"},
      {"sstable/table_writer.cc", "memtable/memtable.h"},
      {"sstable/table_reader.cc", "engine/read/point_lookup.h"},
      {"engine/wal/log_writer.cc", "engine/manifest/version_edit.h"},
      {"engine/wal/log_writer.cc", "engine/write/group_commit.h"},
      {"engine/manifest/version.cc", "engine/read/run_iterator.h"},
      {"engine/manifest/version.cc", "engine/write/group_commit.h"},
      {"engine/write/group_commit.cc", "engine/manifest/version.h"},
      {"engine/write/group_commit.cc", "engine/read/point_lookup.h"},
      {"engine/read/point_lookup.cc", "engine/compaction/picker.h"},
      {"engine/read/point_lookup.cc", "engine/write/group_commit.h"},
      {"engine/compaction/job.cc", "engine/recovery/replay.h"},
      {"engine/compaction/job.cc", "engine/write/stall_policy.h"},
      {"engine/recovery/replay.cc", "engine/maintenance/verify.h"},
      {"engine/maintenance/verify.cc", "engine/compaction/job.h"},
      {"engine/read/point_lookup.cc", "engine/db_impl.h"},
      {"engine/recovery/replay.cc", "engine/db_background.h"},
      {"engine/db_impl.cc", "tools/output.h"},
      {"tools/verbs.cc", "bench/macro/workload.h"},
      {"base/clock.cc", "tests/support/fake_clock.h"},
      {"examples/quickstart.cc", "base/coding.h"},
  };
  for (const auto& [from, to] : edges) {
    EXPECT_THAT(FaultsOfEdge(from, to), ElementsAre(HasSubstr("may not include " + to)))
        << from << " includes " << to;
  }
}

TEST(IncludeDirection, AFaultNamesFileAndLine) {
  const SourceTree tree = {{"base/hash.cc", "// Hashes.\n\n  #  include \"filter/bloom.h\"\n"},
                           {"filter/bloom.h", ""}};
  EXPECT_THAT(FindIncludeFaults(tree),
              ElementsAre("base/hash.cc:3: base may not include filter/bloom.h"));
}

TEST(IncludeDirection, EveryWayToNameAFileIsSeen) {
  const SourceTree tree = {{"include/siltstone/db.h", "#include \"base/x.h\"\n"},
                           {"base/x.h", "#include <siltstone/db.h>\n"}};
  EXPECT_THAT(FindIncludeFaults(tree),
              ElementsAre(HasSubstr("include may not include base/x.h"), HasSubstr("circle")));
  EXPECT_THAT(FindIncludeFaults(
                  {{"engine/wal/a.h", "#include \"../db_impl.h\"\n"}, {"engine/db_impl.h", ""}}),
              ElementsAre(HasSubstr("engine/wal may not include engine/db_impl.h")));
}

TEST(IncludeDirection, AnUnknownFolderOfTheEngineIsAFault) {
  EXPECT_THAT(FindIncludeFaults({{"engine/replication/stream.h", ""}}),
              ElementsAre(HasSubstr("engine/replication has no place")));
}

TEST(IncludeDirection, OtherEnginesAreIncludedByPeersOnly) {
  const std::string text = "#include <rocksdb/db.h>\n";
  EXPECT_THAT(FindIncludeFaults({{"bench/peers/rocksdb_peer.cc", text}}), IsEmpty());
  EXPECT_THAT(FindIncludeFaults({{"bench/macro/workload.cc", text}}),
              ElementsAre(HasSubstr("only bench/peers may include rocksdb/db.h")));
}

TEST(IncludeDirection, ACircleOfHeadersIsAFault) {
  const SourceTree tree = {{"base/a.h", Including("base/b.h")},
                           {"base/b.h", Including("base/c.h")},
                           {"base/c.h", Including("base/a.h")}};
  EXPECT_THAT(FindIncludeFaults(tree),
              ElementsAre("circle of units: base/a -> base/b -> base/c -> base/a"));
}

TEST(IncludeDirection, ACircleThroughSourcesIsAFault) {
  const SourceTree tree = {{"sstable/a.h", ""},
                           {"sstable/b.h", ""},
                           {"sstable/a.cc", Including("sstable/a.h") + Including("sstable/b.h")},
                           {"sstable/b.cc", Including("sstable/b.h") + Including("sstable/a.h")}};
  EXPECT_THAT(FindIncludeFaults(tree),
              ElementsAre("circle of units: sstable/a -> sstable/b -> sstable/a"));
}

TEST(IncludeDirection, TwoWaysToOneUnitAreNoCircle) {
  const SourceTree tree = {{"base/top.h", Including("base/left.h") + Including("base/right.h")},
                           {"base/left.h", Including("base/bottom.h")},
                           {"base/right.h", Including("base/bottom.h")},
                           {"base/bottom.h", ""}};
  EXPECT_THAT(FindIncludeFaults(tree), IsEmpty());
}

}  // namespace
}  // namespace siltstone::style
