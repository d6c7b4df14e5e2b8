#include "sstable/table_properties.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

using ::testing::HasSubstr;

TableProperties Sample() {
  TableProperties p;
  p.table_id = {1, 2};
  p.database_id = {3, 4};
  p.epoch = 5;
  p.number = 6;
  p.level = 3;
  p.entries = 10;
  p.distinct_keys = 9;
  p.tombstones = 2;
  p.data_blocks = 4;
  p.raw_key_bytes = 100;
  p.raw_value_bytes = 200;
  p.smallest = MakeInternalKey("", PackTrailer(7, ValueType::kDeletion));
  p.largest = MakeInternalKey("z", PackTrailer(8, ValueType::kValue));
  p.smallest_sequence = 7;
  p.largest_sequence = kMaxSequenceNumber;
  p.comparator_name = "siltstone.bytewise";
  p.compression = Compression::kLz4;
  p.filter_kind = "bloom";
  p.filter_fp_chance = 0.01;
  p.secret_id = UINT32_MAX;
  p.block_size_bytes = 4096;
  p.largest_block_bytes = 5000;
  return p;
}

std::string Fault(const std::string& contents) {
  TableProperties p;
  return std::string(DecodeTableProperties(contents, &p).message());
}

TEST(TableProperties, ComeBackAsTheyWere) {
  TableProperties p;
  const absl::Status status = DecodeTableProperties(EncodeTableProperties(Sample()), &p);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(p == Sample());
}

TEST(TableProperties, UnknownTagsBehindAreIgnoredAndMalformedOnesAreNot) {
  std::string contents = EncodeTableProperties(Sample());
  AppendVarint32(&contents, 1000);
  AppendLengthPrefixed(&contents, "from the future");
  EXPECT_EQ(Fault(contents), "");
  EXPECT_THAT(Fault(contents + "\x01"), HasSubstr("malformed"));
}

TEST(TableProperties, EveryTruncationIsDamage) {
  const std::string contents = EncodeTableProperties(Sample());
  for (size_t size = 0; size < contents.size(); ++size) {
    ASSERT_NE(Fault(contents.substr(0, size)), "") << size;
  }
}

TEST(TableProperties, ImpossibleValuesAreNamed) {
  const auto fault_of = [](void (*change)(TableProperties*)) {
    TableProperties p = Sample();
    change(&p);
    return Fault(EncodeTableProperties(p));
  };
  EXPECT_THAT(fault_of([](TableProperties* p) { p->entries = 0; }), HasSubstr("property 6 is 0"));
  EXPECT_THAT(fault_of([](TableProperties* p) { p->distinct_keys = 11; }),
              HasSubstr("property 7 is 11, expected 1 to 10"));
  EXPECT_THAT(fault_of([](TableProperties* p) { p->tombstones = 11; }), HasSubstr("property 8"));
  EXPECT_THAT(fault_of([](TableProperties* p) { p->smallest = "short"; }),
              HasSubstr("property 12 is not an internal key"));
  EXPECT_THAT(fault_of([](TableProperties* p) { p->largest_sequence = 6; }),
              HasSubstr("property 15"));
  EXPECT_THAT(fault_of([](TableProperties* p) { p->filter_fp_chance = 0; }),
              HasSubstr("filter chance"));
  EXPECT_THAT(fault_of([](TableProperties* p) { p->filter_fp_chance = __builtin_nan(""); }),
              HasSubstr("filter chance"));
}

TEST(TableProperties, AnyBytesAreReadWithinTheirBounds) {
  std::mt19937_64 random(TestSeed());
  const std::string whole = EncodeTableProperties(Sample());
  for (int round = 0; round < 20000; ++round) {
    std::string contents = whole;
    for (uint64_t n = 1 + random() % 3; n > 0; --n) {
      contents[random() % contents.size()] = static_cast<char>(random());
    }
    TableProperties p;
    const absl::Status status = DecodeTableProperties(contents, &p);
    ASSERT_TRUE(status.ok() || absl::IsDataLoss(status)) << status;
  }
}

}  // namespace
}  // namespace siltstone
