#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "filter/table_filter.h"
#include "tests/sstable/table_test_support.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// Every key, near misses of every key, at many snapshots.
void ExpectSameAnswers(const TableReader& table, const Entries& entries, uint64_t seed) {
  std::mt19937_64 random(seed);
  const SequenceNumber top = table.properties().largest_sequence;
  for (const auto& entry : entries) {
    const std::string user_key(ExtractUserKey(entry.first));
    const SequenceNumber sequence = TrailerSequence(ExtractTrailer(entry.first));
    for (const SequenceNumber snapshot :
         {kMaxSequenceNumber, sequence, sequence - 1, random() % (top + 2)}) {
      ASSERT_EQ(GetText(table, user_key, snapshot), ModelText(entries, user_key, snapshot));
    }
    std::string near = user_key;
    if (random() % 2 == 0 || near.empty()) {
      near.push_back(static_cast<char>(random()));
    } else {
      near.back() = static_cast<char>(near.back() + (random() % 2 == 0 ? 1 : -1));
    }
    ASSERT_EQ(GetText(table, near, kMaxSequenceNumber),
              ModelText(entries, near, kMaxSequenceNumber));
  }
}

void ExpectSameScan(const TableReader& table, const Entries& entries) {
  absl::Status status;
  const auto found = ScanAll(table, &status);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(found.size(), entries.size());
  size_t i = 0;
  for (const auto& entry : entries) {
    ASSERT_EQ(found[i].first, entry.first);
    ASSERT_EQ(found[i].second, entry.second);
    ++i;
  }
}

void ExpectTrueSummary(const BuiltTable& built, const Entries& entries, const TableReader& table) {
  uint64_t distinct = 0, tombstones = 0, key_bytes = 0, value_bytes = 0;
  std::string last = "none before the first";
  for (const auto& [key, value] : entries) {
    if (ExtractUserKey(key) != last || distinct == 0) ++distinct;
    last = std::string(ExtractUserKey(key));
    tombstones += (ExtractTrailer(key) & 0xff) == 0 ? 1 : 0;
    key_bytes += key.size();
    value_bytes += value.size();
  }
  const TableProperties& p = table.properties();
  EXPECT_EQ(built.summary.file_size_bytes, built.bytes.size());
  EXPECT_EQ(p.entries, entries.size());
  EXPECT_EQ(p.distinct_keys, distinct);
  EXPECT_EQ(p.tombstones, tombstones);
  EXPECT_EQ(p.raw_key_bytes, key_bytes);
  EXPECT_EQ(p.raw_value_bytes, value_bytes);
  EXPECT_EQ(p.smallest, entries.begin()->first);
  EXPECT_EQ(p.largest, entries.rbegin()->first);
  EXPECT_EQ(built.summary.entries, p.entries);
  EXPECT_EQ(built.summary.distinct_keys, p.distinct_keys);
  EXPECT_EQ(built.summary.tombstones, p.tombstones);
  EXPECT_EQ(built.summary.smallest, p.smallest);
  EXPECT_EQ(built.summary.largest, p.largest);
  EXPECT_EQ(built.summary.smallest_sequence, p.smallest_sequence);
  EXPECT_EQ(built.summary.largest_sequence, p.largest_sequence);
}

class TableRoundTrip : public testing::TestWithParam<std::tuple<size_t, int, Compression, bool>> {};

TEST_P(TableRoundTrip, AnswersAsTheModelDoes) {
  const auto& [block_size, restart_interval, compression, backward] = GetParam();
  static const BackwardComparator kBackward;
  const KeyOrder order(backward ? static_cast<const Comparator*>(&kBackward)
                                : BytewiseComparator());
  const uint64_t seed = TestSeed();
  const Entries entries = RandomEntries(seed, 700, order);
  TableWriterOptions options = WriterOptionsForTest(order);
  options.block_size_bytes = block_size;
  options.restart_interval = restart_interval;
  options.compression = compression;
  const BuiltTable built = BuildTable(entries, options);
  const OpenedTable table = OpenTable(built.bytes, ReaderOptionsForTest(order));
  ASSERT_TRUE(table.reader.ok()) << table.reader.status();
  ExpectSameAnswers(**table.reader, entries, seed);
  ExpectSameScan(**table.reader, entries);
  ExpectTrueSummary(built, entries, **table.reader);
  const absl::Status verified = table->VerifyChecksums();
  EXPECT_TRUE(verified.ok()) << verified;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TableRoundTrip,
    testing::Combine(testing::Values(size_t{1}, size_t{64}, size_t{300}, size_t{4096}),
                     testing::Values(1, 3, 16),
                     testing::Values(Compression::kNone, Compression::kLz4), testing::Bool()));

TEST(TableReader, OpensWithOneReadWhereTheTailIsKnownAndWithTwoOtherwise) {
  const Entries entries = RandomEntries(1, 50, KeyOrder(BytewiseComparator()));
  const BuiltTable built = BuildTable(entries);
  TableReaderOptions options = ReaderOptionsForTest();
  EXPECT_EQ(*OpenTable(built.bytes, options).reads, 2);
  options.tail_size_bytes = built.summary.tail_size_bytes;
  options.file_size_bytes = built.summary.file_size_bytes;
  options.expected_table_id = {0x1122, 0x3344};
  const OpenedTable table = OpenTable(built.bytes, options);
  ASSERT_TRUE(table.reader.ok()) << table.reader.status();
  EXPECT_EQ(*table.reads, 1);
  ExpectSameScan(**table.reader, entries);
}

TEST(TableReader, VersionsOfOneKeyMaySpanBlocks) {
  Entries entries;
  for (SequenceNumber s = 1; s <= 400; ++s) {
    entries[MakeInternalKey(
        "k", PackTrailer(s, s % 3 == 0 ? ValueType::kDeletion : ValueType::kValue))] =
        s % 3 == 0 ? "" : std::to_string(s);
  }
  entries[MakeInternalKey("j", PackTrailer(500, ValueType::kValue))] = "before";
  entries[MakeInternalKey("l", PackTrailer(1, ValueType::kValue))] = "after";
  const BuiltTable built = BuildTable(entries);
  const OpenedTable table = OpenTable(built.bytes);
  ASSERT_TRUE(table.reader.ok());
  ASSERT_GT(table->properties().data_blocks, 3u);
  for (SequenceNumber s = 0; s <= 401; ++s) {
    ASSERT_EQ(GetText(**table.reader, "k", s), ModelText(entries, "k", s)) << s;
  }
}

TEST(TableReader, APointReadFetchesOneBlock) {
  const Entries entries = RandomEntries(3, 500, KeyOrder(BytewiseComparator()));
  BlockCache cache(1 << 20, 512);
  TableReaderOptions options = ReaderOptionsForTest();
  options.block_cache = &cache;
  const OpenedTable table = OpenTable(BuildTable(entries).bytes, options);
  ASSERT_TRUE(table.reader.ok());
  for (const auto& entry : entries) {
    std::vector<uint64_t> offsets;
    TableReadContext context;
    context.block_offsets = &offsets;
    const std::string user_key(ExtractUserKey(entry.first));
    GetText(**table.reader, user_key, kMaxSequenceNumber, &context);
    ASSERT_EQ(context.blocks_from_cache + context.blocks_from_file, 1u);
    ASSERT_EQ(offsets.size(), 1u);
    TableReadContext again;
    GetText(**table.reader, user_key, kMaxSequenceNumber, &again);
    ASSERT_EQ(again.blocks_from_cache, 1u);
    ASSERT_EQ(again.bytes_from_file, 0u);
  }
}

TEST(TableReader, AReadThatDoesNotFillTheCacheLeavesItEmpty) {
  const Entries entries = RandomEntries(4, 100, KeyOrder(BytewiseComparator()));
  BlockCache cache(1 << 20, 512);
  TableReaderOptions options = ReaderOptionsForTest();
  options.block_cache = &cache;
  const OpenedTable table = OpenTable(BuildTable(entries).bytes, options);
  TableReadContext context;
  context.fill_cache = false;
  GetText(**table.reader, ExtractUserKey(entries.begin()->first), kMaxSequenceNumber, &context);
  const auto it = table->NewIterator(false, nullptr);
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
  }
  EXPECT_TRUE(table->VerifyChecksums().ok());
  EXPECT_EQ(cache.block_count(), 0u);
}

TEST(TableReader, HoldsHugeKeysAndValues) {
  const std::string huge_key(8 << 20, 'k');
  const std::string other_key = huge_key + "!";
  std::string huge_value(64 << 20, 'v');
  for (size_t i = 0; i < huge_value.size(); i += 61) huge_value[i] = static_cast<char>(i * i >> 7);
  Entries entries;
  entries[MakeInternalKey("", PackTrailer(1, ValueType::kValue))] = "empty key";
  entries[MakeInternalKey("a", PackTrailer(2, ValueType::kValue))] = huge_value;
  entries[MakeInternalKey(huge_key, PackTrailer(3, ValueType::kValue))] = "";
  entries[MakeInternalKey(other_key, PackTrailer(4, ValueType::kDeletion))] = "";
  for (const Compression compression : {Compression::kNone, Compression::kLz4}) {
    TableWriterOptions options = WriterOptionsForTest();
    options.compression = compression;
    const OpenedTable table = OpenTable(BuildTable(entries, options).bytes);
    ASSERT_TRUE(table.reader.ok()) << table.reader.status();
    for (const std::string& key : {std::string(), std::string("a"), huge_key, other_key}) {
      // Compared, not printed.
      EXPECT_TRUE(GetText(**table.reader, key, kMaxSequenceNumber) ==
                  ModelText(entries, key, kMaxSequenceNumber));
    }
    EXPECT_EQ(GetText(**table.reader, huge_key + " ", kMaxSequenceNumber), "absent");
    EXPECT_TRUE(table->VerifyChecksums().ok());
  }
}

TEST(TableReader, CompressionShrinksWhatRepeatsAndLeavesTheRest) {
  Entries same, noise;
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const std::string key =
        MakeInternalKey("key" + std::to_string(1000 + i), PackTrailer(1, ValueType::kValue));
    same[key] = std::string(100, 'x');
    for (int j = 0; j < 100; ++j) noise[key].push_back(static_cast<char>(random()));
  }
  TableWriterOptions options = WriterOptionsForTest();
  options.block_size_bytes = 4096;
  const size_t plain = BuildTable(same, options).bytes.size();
  const size_t plain_noise = BuildTable(noise, options).bytes.size();
  options.compression = Compression::kLz4;
  EXPECT_LT(BuildTable(same, options).bytes.size(), plain / 2);
  EXPECT_EQ(BuildTable(noise, options).bytes.size(), plain_noise);
}

TEST(TableReader, TheFilterKnowsEveryKeyAlsoThoseThatAreDeleted) {
  const Entries entries = RandomEntries(6, 300, KeyOrder(BytewiseComparator()));
  for (const bool real : {false, true}) {
    const auto policy = NewTableFilterPolicy({FilterKind::kBloom, 0.01});
    TableWriterOptions writer = WriterOptionsForTest();
    TableReaderOptions reader = ReaderOptionsForTest();
    if (real) {
      writer.filter_policy = policy.get();
      writer.filter_salt = 99;
      reader.filter_policy = policy.get();
    }
    const OpenedTable table = OpenTable(BuildTable(entries, writer).bytes, reader);
    ASSERT_TRUE(table.reader.ok()) << table.reader.status();
    ASSERT_TRUE(table->has_filter()) << table->filter_fault();
    EXPECT_EQ(table->filter()->key_count(), table->properties().distinct_keys);
    EXPECT_EQ(table->properties().filter_kind, table->filter()->kind_name());
    EXPECT_EQ(table->properties().filter_fp_chance, table->filter()->configured_fp_chance());
    for (const auto& entry : entries) {
      const uint64_t hash = HashKey(ExtractUserKey(entry.first), table->filter_hash_seed());
      table->PrefetchFilter(hash);
      ASSERT_TRUE(table->MayContain(hash));
    }
    EXPECT_TRUE(table->VerifyChecksums().ok());
  }
}

TEST(TableReader, ATableOfAnotherComparatorIsRefused) {
  static const BackwardComparator kBackward;
  const BuiltTable built = BuildTable(RandomEntries(1, 20, KeyOrder(BytewiseComparator())));
  const OpenedTable table = OpenTable(built.bytes, ReaderOptionsForTest(KeyOrder(&kBackward)));
  EXPECT_TRUE(absl::IsInvalidArgument(table.reader.status())) << table.reader.status();
}

TEST(TableWriter, RefusesAnEmptyTable) {
  std::string bytes;
  TableWriter writer(WriterOptionsForTest(), std::make_unique<StringTableFile>(&bytes));
  EXPECT_TRUE(absl::IsFailedPrecondition(writer.Finish().status()));
}

TEST(TableWriter, RefusesOversizedEntriesAndGoesOn) {
  std::string bytes;
  TableWriter writer(WriterOptionsForTest(), std::make_unique<StringTableFile>(&bytes));
  const std::string key = MakeInternalKey("k", PackTrailer(1, ValueType::kValue));
  const std::string long_key =
      MakeInternalKey(std::string(kMaxUserKeyBytes + 1, 'x'), PackTrailer(1, ValueType::kValue));
  ASSERT_TRUE(writer.Add(key, "v").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(writer.Add(long_key, "")));
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(GetText(**OpenTable(bytes).reader, "k", 1), "v@1");
}

TEST(TableWriterDeathTest, KeysOutOfOrderEndTheProcess) {
  const auto add_twice = [] {
    std::string bytes;
    TableWriter writer(WriterOptionsForTest(), std::make_unique<StringTableFile>(&bytes));
    const std::string key = MakeInternalKey("k", PackTrailer(1, ValueType::kValue));
    writer.Add(key, "v").IgnoreError();
    writer.Add(key, "v").IgnoreError();
  };
  EXPECT_DEATH(add_twice(), "check does not hold");
}

}  // namespace
}  // namespace siltstone
