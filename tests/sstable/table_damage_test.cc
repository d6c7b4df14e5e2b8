#include <functional>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/hash.h"
#include "sstable/block_format.h"
#include "sstable/footer.h"
#include "tests/sstable/table_test_support.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

using ::testing::HasSubstr;

constexpr TableId kId{0x1122, 0x3344};

std::string UserKey(int i) { return absl::StrCat("key", 100 + i); }

Entries SmallEntries(int count = 12, const std::string& value_prefix = "value") {
  Entries entries;
  for (int i = 0; i < count; ++i) {
    const bool deletion = i % 5 == 4;
    entries[MakeInternalKey(UserKey(i),
                            PackTrailer(static_cast<SequenceNumber>(i + 1),
                                        deletion ? ValueType::kDeletion : ValueType::kValue))] =
        deletion ? "" : absl::StrCat(value_prefix, i);
  }
  return entries;
}

BuiltTable BuildSmall(const Entries& entries, Compression compression = Compression::kNone) {
  TableWriterOptions options = WriterOptionsForTest();
  options.block_size_bytes = 100;
  options.compression = compression;
  return BuildTable(entries, options);
}

bool IsNamedDataLoss(const absl::Status& status) {
  return absl::IsDataLoss(status) &&
         absl::StrContains(status.message(), "000003-000000000009.sst") &&
         absl::StrContains(status.message(), "at offset");
}

// Every read gives the model's answer or DataLoss that names the file. Counts the faults.
int CheckReads(const OpenedTable& table, const Entries& entries) {
  int faults = 0;
  EpochGuard guard;
  for (int i = -1; i <= static_cast<int>(entries.size()); ++i) {
    TableReadContext context;
    PointResult result;
    const absl::Status status = table->Get(UserKey(i), kMaxSequenceNumber, context, &result);
    if (!status.ok()) {
      ++faults;
      EXPECT_TRUE(IsNamedDataLoss(status)) << status;
    } else {
      result.block.Reset();
      EXPECT_EQ(GetText(**table.reader, UserKey(i), kMaxSequenceNumber),
                ModelText(entries, UserKey(i), kMaxSequenceNumber));
    }
    if (table->has_filter() && i >= 0 && i < static_cast<int>(entries.size())) {
      EXPECT_TRUE(table->MayContain(HashKey(UserKey(i), table->filter_hash_seed())));
    }
  }
  absl::Status status;
  const auto found = ScanAll(**table.reader, &status);
  auto want = entries.begin();
  for (const auto& [key, value] : found) {
    EXPECT_EQ(key, want->first);
    EXPECT_EQ(value, want->second);
    ++want;
  }
  if (status.ok()) {
    EXPECT_EQ(found.size(), entries.size());
  } else {
    ++faults;
    EXPECT_TRUE(IsNamedDataLoss(status)) << status;
  }
  return faults;
}

class EveryBit : public testing::TestWithParam<Compression> {};

TEST_P(EveryBit, ThatFlipsGivesTheSameAnswersOrDataLoss) {
  const Entries entries = SmallEntries(GetParam() == Compression::kLz4 ? 14 : 12, "vvvvvvvvvvvv");
  const BuiltTable built = BuildSmall(entries, GetParam());
  const uint64_t tail_start = built.bytes.size() - built.summary.tail_size_bytes;
  const uint64_t filter_end = tail_start + built.summary.filter_bytes + kBlockTrailerBytes;
  for (const bool tail_known : {false, true}) {
    TableReaderOptions options = ReaderOptionsForTest();
    options.expected_table_id = kId;
    if (tail_known) options.tail_size_bytes = built.summary.tail_size_bytes;
    for (size_t bit = 0; bit < built.bytes.size() * 8; ++bit) {
      std::string bytes = built.bytes;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      const OpenedTable table = OpenTable(bytes, options);
      const uint64_t byte = bit / 8;
      if (byte >= filter_end) {
        ASSERT_TRUE(IsNamedDataLoss(table.reader.status())) << byte << table.reader.status();
        continue;
      }
      ASSERT_TRUE(table.reader.ok()) << table.reader.status();
      const bool in_filter = byte >= tail_start;
      ASSERT_EQ(table->has_filter(), !in_filter);
      ASSERT_EQ(IsNamedDataLoss(table->filter_fault()), in_filter) << table->filter_fault();
      const int faults = CheckReads(table, entries);
      ASSERT_EQ(faults > 0, !in_filter) << byte;
      ASSERT_TRUE(IsNamedDataLoss(table->VerifyChecksums()));
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compressions, EveryBit,
                         testing::Values(Compression::kNone, Compression::kLz4));

TEST(DamagedTable, EveryTruncationAndExtensionIsRefused) {
  const BuiltTable built = BuildSmall(SmallEntries());
  for (const bool known : {false, true}) {
    TableReaderOptions options = ReaderOptionsForTest();
    if (known) {
      options.tail_size_bytes = built.summary.tail_size_bytes;
      options.file_size_bytes = built.bytes.size();
    }
    for (size_t size = 0; size < built.bytes.size(); ++size) {
      const OpenedTable table = OpenTable(built.bytes.substr(0, size), options);
      ASSERT_TRUE(IsNamedDataLoss(table.reader.status())) << size << table.reader.status();
    }
    const OpenedTable longer = OpenTable(built.bytes + std::string(1, '\0'), options);
    EXPECT_TRUE(IsNamedDataLoss(longer.reader.status())) << longer.reader.status();
    // A whole footer at the end of a file that is too long.
    const OpenedTable shifted = OpenTable("x" + built.bytes, options);
    EXPECT_TRUE(IsNamedDataLoss(shifted.reader.status())) << shifted.reader.status();
  }
}

TEST(DamagedTable, ATruncationWhileOpenIsAnErrorOfTheRead) {
  const OpenedTable table = OpenTable(BuildSmall(SmallEntries()).bytes);
  table.bytes->resize(10);
  EXPECT_THAT(GetText(**table.reader, UserKey(3), kMaxSequenceNumber), HasSubstr("OUT_OF_RANGE"));
}

TEST(DamagedTable, ABlockOfTheSameTableInAnotherPlaceIsRefused) {
  const Entries entries = SmallEntries(40, "same");
  const BuiltTable built = BuildSmall(entries);
  const OpenedTable whole = OpenTable(built.bytes);
  // Two blocks of equal size: the layout stays valid, so only the checksum tells.
  std::vector<std::string> blocks;
  int checked = 0;
  uint64_t offset = 0;
  const auto sizes = [&] {
    std::vector<uint64_t> offsets;
    for (int i = 0; i < 40; ++i) {
      TableReadContext context;
      context.block_offsets = &offsets;
      GetText(**whole.reader, UserKey(i), kMaxSequenceNumber, &context);
    }
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    offsets.push_back(built.bytes.size() - built.summary.tail_size_bytes);
    return offsets;
  }();
  ASSERT_GT(sizes.size(), 4u);
  for (size_t a = 0; a + 1 < sizes.size(); ++a) {
    for (size_t b = 0; b + 1 < sizes.size(); ++b) {
      offset = sizes[a];
      const uint64_t size = sizes[a + 1] - offset;
      if (a == b || sizes[b + 1] - sizes[b] != size) continue;
      std::string bytes = built.bytes;
      bytes.replace(offset, size, built.bytes.substr(sizes[b], size));
      const OpenedTable table = OpenTable(bytes);
      ASSERT_TRUE(table.reader.ok());
      ASSERT_GT(CheckReads(table, entries), 0);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(DamagedTable, PartsOfAnotherTableOfEqualLayoutAreRefused) {
  const Entries entries = SmallEntries(40, "mine!"), others = SmallEntries(40, "other");
  const BuiltTable built = BuildSmall(entries);
  TableWriterOptions options = WriterOptionsForTest();
  options.block_size_bytes = 100;
  options.table_id = {0x1122, 0x3345};
  const BuiltTable other = BuildTable(others, options);
  ASSERT_EQ(built.bytes.size(), other.bytes.size());
  const uint64_t tail_start = built.bytes.size() - built.summary.tail_size_bytes;
  {
    const OpenedTable table =
        OpenTable(other.bytes.substr(0, tail_start) + built.bytes.substr(tail_start));
    ASSERT_TRUE(table.reader.ok());
    EXPECT_EQ(CheckReads(table, entries), 41);
  }
  {
    const OpenedTable table =
        OpenTable(built.bytes.substr(0, tail_start) + other.bytes.substr(tail_start));
    ASSERT_TRUE(table.reader.ok());  // no id was expected
    EXPECT_EQ(CheckReads(table, others), 41);
  }
  TableReaderOptions expecting = ReaderOptionsForTest();
  expecting.expected_table_id = kId;
  const OpenedTable table = OpenTable(other.bytes, expecting);
  EXPECT_TRUE(IsNamedDataLoss(table.reader.status()));
  EXPECT_THAT(std::string(table.reader.status().message()), HasSubstr(kId.ToHex()));
  EXPECT_THAT(std::string(table.reader.status().message()),
              HasSubstr(TableId{0x1122, 0x3345}.ToHex()));
}

// Puts right the footer's checksum after a change.
void ResealFooter(std::string* bytes) {
  const size_t start = bytes->size() - kFooterBytes;
  const TableId id{LoadFixed64(bytes->data() + start), LoadFixed64(bytes->data() + start + 8)};
  StoreFixed64(bytes->data() + start + 88,
               BlockChecksum(std::string_view(*bytes).substr(start, 88), id, start));
}

TEST(DamagedTable, AnUnknownVersionIsNamedAndNotCalledDamage) {
  std::string bytes = BuildSmall(SmallEntries()).bytes;
  StoreFixed32(bytes.data() + bytes.size() - kFooterBytes + 84, 2);
  ResealFooter(&bytes);
  const absl::Status status = OpenTable(bytes).reader.status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("table format version: 2, this build reads version 1"));
}

TEST(DamagedTable, AFooterWithFoolishHandlesIsRefused) {
  const BuiltTable built = BuildSmall(SmallEntries());
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = built.bytes;
    const size_t field = bytes.size() - kFooterBytes + 16 + 8 * (random() % 8);
    const uint64_t old = LoadFixed64(bytes.data() + field);
    static const uint64_t kFoolish[] = {
        0, 1, 15, ~uint64_t{0}, ~uint64_t{0} - 7, uint64_t{1} << 63};
    const uint64_t value = random() % 2 == 0 ? kFoolish[random() % 6] : old + random() % 33 - 16;
    if (value == old) continue;
    StoreFixed64(bytes.data() + field, value);
    ResealFooter(&bytes);
    ASSERT_TRUE(IsNamedDataLoss(OpenTable(bytes).reader.status()));
  }
}

// Makes a table with one data block of the given stored contents; index and properties are right.
std::string TableAround(std::string contents, Compression compression, size_t uncompressed_size,
                        const std::string& last_key, uint64_t largest_block_bytes) {
  std::string bytes = std::move(contents);
  SealBlock(&bytes, BlockKind::kData, compression, uncompressed_size, kId, 0);
  Footer footer;
  footer.table_id = kId;
  footer.filter = {bytes.size(), 0};
  IndexBlockWriter index_writer;
  index_writer.Add(last_key, bytes.size());
  std::string index = index_writer.Finish();
  footer.index.offset = bytes.size();
  SealBlock(&index, BlockKind::kIndex, Compression::kNone, index.size(), kId, bytes.size());
  footer.index.stored_size_bytes = index.size();
  bytes += index;
  TableProperties p;
  p.table_id = kId;
  p.entries = p.distinct_keys = p.data_blocks = 1;
  p.smallest = p.largest = last_key;
  p.comparator_name = std::string(BytewiseComparator()->name());
  p.largest_block_bytes = largest_block_bytes;
  std::string properties = EncodeTableProperties(p);
  footer.properties.offset = bytes.size();
  SealBlock(&properties, BlockKind::kProperties, Compression::kNone, properties.size(), kId,
            bytes.size());
  footer.properties.stored_size_bytes = properties.size();
  bytes += properties;
  footer.file_size_bytes = bytes.size() + kFooterBytes;
  footer.tail_size_bytes = footer.file_size_bytes - footer.filter.offset;
  AppendFooter(&bytes, footer);
  return bytes;
}

TEST(DamagedTable, ADecompressionBombIsRefusedBeforeItIsUnpacked) {
  const std::string key = MakeInternalKey("k", PackTrailer(1, ValueType::kValue));
  struct Bomb {
    size_t stored, claimed;
    uint64_t largest;
  };
  for (const Bomb& bomb : {Bomb{100, 0xffffffef, 0xffffffff}, Bomb{100, 100 * 255 + 1, 0xffffffff},
                           Bomb{100, 5000, 4999}, Bomb{1 << 20, 200 << 20, 1 << 20}}) {
    const std::string bytes = TableAround(std::string(bomb.stored, '\0'), Compression::kLz4,
                                          bomb.claimed, key, bomb.largest);
    const OpenedTable table = OpenTable(bytes);
    ASSERT_TRUE(table.reader.ok()) << table.reader.status();
    EXPECT_THAT(GetText(**table.reader, "k", 1), HasSubstr("DATA_LOSS: uncompressed block size"));
  }
}

// Crafted bytes whose checksum is right: no read may go wrong in any other way than DataLoss or an answer.
void ReadEverything(const std::string& contents) {
  const std::string key = MakeInternalKey("user:9", PackTrailer(1, ValueType::kValue));
  const OpenedTable table =
      OpenTable(TableAround(contents, Compression::kNone, contents.size(), key, contents.size()));
  ASSERT_TRUE(table.reader.ok()) << table.reader.status();
  for (const char* user_key : {"", "user:", "user:00001", "user:00005x", "user:8", "\xff"}) {
    EpochGuard guard;
    TableReadContext context;
    PointResult result;
    const absl::Status status = table->Get(user_key, 50, context, &result);
    ASSERT_TRUE(status.ok() || IsNamedDataLoss(status)) << status;
    std::string(result.value).clear();
  }
  const auto it = table->NewIterator(false, nullptr);
  size_t steps = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) steps += it->key().size() + it->value().size();
  ASSERT_TRUE(it->status().ok() || IsNamedDataLoss(it->status())) << it->status();
  for (it->SeekToLast(); it->Valid(); it->Prev()) steps += it->key().size() + it->value().size();
  ASSERT_LE(steps, 100 * contents.size());
  ASSERT_TRUE(it->status().ok() || IsNamedDataLoss(it->status())) << it->status();
  for (const char* user_key : {"user:", "user:00003", "\xff"}) {
    const std::string target = MakeInternalKey(user_key, SeekTrailer(20));
    it->Seek(target);
    if (it->Valid()) it->Prev();
    it->SeekForPrev(target);
    if (it->Valid()) it->Next();
    ASSERT_TRUE(it->status().ok() || IsNamedDataLoss(it->status())) << it->status();
  }
  table->VerifyChecksums().IgnoreError();
}

TEST(CraftedDataBlock, IsReadWithinItsBoundsWhateverItHolds) {
  std::mt19937_64 random(TestSeed());
  DataBlockWriter writer(4);
  for (int i = 0; i < 24; ++i) {
    writer.Add(MakeInternalKey(absl::StrCat("user:0000", i / 10, i % 10),
                               PackTrailer(static_cast<SequenceNumber>(i), ValueType::kValue)),
               std::string(static_cast<size_t>(i % 7), 'v'));
  }
  const std::string whole = *writer.Finish();
  for (int round = 0; round < 4000; ++round) {
    std::string contents = whole;
    switch (random() % 4) {
      case 0:
        contents.resize(1 + random() % whole.size());
        break;
      case 1:  // the restart array
        contents[whole.size() - 1 - random() % 28] = static_cast<char>(random() % 40);
        break;
      default:
        for (uint64_t n = 1 + random() % 3; n > 0; --n) {
          static const char kHeads[] = {
              0, 1, 5, 127, static_cast<char>(0x80), static_cast<char>(0xff)};
          contents[random() % whole.size()] =
              random() % 2 == 0 ? kHeads[random() % 6] : static_cast<char>(random());
        }
    }
    ASSERT_NO_FATAL_FAILURE(ReadEverything(contents)) << "round " << round;
  }
}

TEST(CraftedDataBlock, ARestartPointThatBeginsNoWholeKeyIsFoundByAFullCheck) {
  DataBlockWriter writer(4);
  std::string last_key;
  for (int i = 0; i < 16; ++i) {
    last_key = MakeInternalKey(absl::StrCat("user:", 10 + i), PackTrailer(1, ValueType::kValue));
    writer.Add(last_key, "value");
  }
  const std::string whole = *writer.Finish();
  constexpr uint32_t kRestarts = 4;
  const size_t array = whole.size() - 4 * (kRestarts + 1);
  const auto check = [&](const std::string& contents) {
    const OpenedTable table = OpenTable(
        TableAround(contents, Compression::kNone, contents.size(), last_key, contents.size()));
    return std::string(table->VerifyChecksums().message());
  };
  ASSERT_THAT(check(whole), HasSubstr("entries: observed 16"));
  for (uint32_t i = 1; i < kRestarts; ++i) {
    const uint32_t right = LoadFixed32(&whole[array + size_t{i} * 4]);
    const uint32_t before = LoadFixed32(&whole[array + size_t{i - 1} * 4]);
    const uint32_t after = i + 1 == kRestarts ? static_cast<uint32_t>(array)
                                              : LoadFixed32(&whole[array + size_t{i + 1} * 4]);
    for (uint32_t offset = before + 1; offset < after; ++offset) {
      if (offset == right) continue;
      std::string contents = whole;
      StoreFixed32(&contents[array + size_t{i} * 4], offset);
      ASSERT_THAT(check(contents), HasSubstr("restart point")) << i << " at " << offset;
    }
  }
}

TEST(CraftedDataBlock, AnEmptyOneIsDamage) {
  for (const size_t size : {size_t{1}, size_t{4}, size_t{8}}) {
    ASSERT_NO_FATAL_FAILURE(ReadEverything(std::string(size, '\0')));
  }
}

TEST(FilterFault, AnUnknownSecretKindOrDamageLeavesTheTableReadable) {
  const Entries entries = SmallEntries();
  const BuiltTable built = BuildSmall(entries);
  const uint64_t tail_start = built.bytes.size() - built.summary.tail_size_bytes;
  {
    TableReaderOptions options = ReaderOptionsForTest();
    options.secret_lookup = [](uint32_t) { return std::optional<uint64_t>(); };
    const OpenedTable table = OpenTable(built.bytes, options);
    EXPECT_TRUE(absl::IsNotFound(table->filter_fault())) << table->filter_fault();
    EXPECT_FALSE(table->has_filter());
    EXPECT_EQ(CheckReads(table, entries), 0);
    EXPECT_TRUE(table->VerifyChecksums().ok());
  }
  const auto with_filter = [&](const std::function<void(std::string*)>& change) {
    std::string bytes = built.bytes;
    std::string filter = bytes.substr(tail_start, built.summary.filter_bytes);
    change(&filter);
    SealBlock(&filter, BlockKind::kFilter, Compression::kNone, filter.size(), kId, tail_start);
    bytes.replace(tail_start, filter.size(), filter);
    return OpenTable(bytes);
  };
  {
    const OpenedTable table = with_filter([](std::string* filter) { (*filter)[0] = 'X'; });
    EXPECT_TRUE(absl::IsUnimplemented(table->filter_fault())) << table->filter_fault();
    EXPECT_EQ(CheckReads(table, entries), 0);
    EXPECT_TRUE(table->VerifyChecksums().ok());
  }
  {
    // A filter that opens but lacks a key: what only a check of everything can find.
    const OpenedTable table = with_filter([](std::string* filter) { ++(*filter)[4]; });
    ASSERT_TRUE(table->has_filter());
    EXPECT_TRUE(IsNamedDataLoss(table->VerifyChecksums()));
  }
}

TEST(FilterFault, ATableWithoutAFilterHasNone) {
  TableWriterOptions options = WriterOptionsForTest();
  options.filter_policy = nullptr;
  const BuiltTable built = BuildTable(SmallEntries(), options);
  EXPECT_EQ(built.summary.filter_bytes, 0u);
  const OpenedTable table = OpenTable(built.bytes);
  ASSERT_TRUE(table.reader.ok()) << table.reader.status();
  EXPECT_FALSE(table->has_filter());
  EXPECT_TRUE(table->filter_fault().ok());
  EXPECT_EQ(table->properties().filter_kind, "");
  EXPECT_EQ(table->properties().filter_fp_chance, 1.0);
  EXPECT_EQ(CheckReads(table, SmallEntries()), 0);
}

}  // namespace
}  // namespace siltstone
