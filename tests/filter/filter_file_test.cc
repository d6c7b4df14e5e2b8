#include "filter/filter_file.h"

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "siltstone/file_system.h"

#include "base/checksum.h"
#include "base/coding.h"
#include "base/random.h"
#include "base/to_absl.h"
#include "tests/filter/any_filter.h"
#include "tests/support/format_document.h"
#include "tests/support/test_seed.h"

// Bytes that are not quite a filter file are refused, whatever is wrong with them.

namespace siltstone {
namespace {

using ::testing::HasSubstr;

// Offsets of FORMAT.md, "Filter file".
constexpr size_t kVersion = 8, kKind = 12, kReserved = 13, kCapacity = 24, kChance = 32,
                 kCount = 40, kParameters = 48, kPayloadSize = 80, kPayload = 88;

// Changes bytes and makes the checksum right again: what a hostile or faulty writer could leave.
std::string Forge(std::string file, size_t offset, std::string_view bytes) {
  file.replace(offset, bytes.size(), bytes);
  StoreFixed64(&file[file.size() - 8], Checksum64({file.data(), file.size() - 8}));
  return file;
}
std::string Forge64(const std::string& file, size_t offset, uint64_t value) {
  std::string bytes;
  AppendFixed64(&bytes, value);
  return Forge(file, offset, bytes);
}
std::string Forge(const std::string& file, size_t offset, double value) {
  return Forge64(file, offset, std::bit_cast<uint64_t>(value));
}

// A payload of another length, with a header that agrees.
std::string WithPayload(const std::string& file, const std::string& payload) {
  std::string out = file.substr(0, kPayload) + payload + std::string(8, '\0');
  return Forge64(out, kPayloadSize, payload.size());
}

absl::Status StatusOf(const std::string& bytes) { return Filter::Parse(bytes).status(); }
std::string MessageOf(const std::string& bytes) {
  return std::string(FromAbsl(StatusOf(bytes).message()));
}

class FilterFileOf : public testing::TestWithParam<Filter::Kind> {
 protected:
  std::string file_ = BuildAny(GetParam(), NumberedKeys("user:", 5), {.seed = 3})->Serialize();
};

INSTANTIATE_TEST_SUITE_P(Kinds, FilterFileOf, testing::ValuesIn(BuiltKinds()), KindTestName);

TEST_P(FilterFileOf, EveryFlippedBitIsRefused) {
  for (size_t bit = 0; bit < file_.size() * 8; ++bit) {
    std::string damaged = file_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const bool version = bit / 8 >= kVersion && bit / 8 < kVersion + 4;
    ASSERT_EQ(StatusOf(damaged).code(),
              version ? absl::StatusCode::kUnimplemented : absl::StatusCode::kDataLoss)
        << "bit " << bit << ": " << StatusOf(damaged);
  }
}

TEST_P(FilterFileOf, EveryOtherLengthIsRefused) {
  for (size_t size = 0; size < file_.size(); ++size) {
    ASSERT_TRUE(absl::IsDataLoss(StatusOf(file_.substr(0, size)))) << size;
  }
  for (size_t more = 1; more < 80; ++more) {
    ASSERT_TRUE(absl::IsDataLoss(StatusOf(file_ + std::string(more, '\0')))) << more;
  }
}

// The same where header and checksum agree with the length: each kind knows how long its payload must be.
TEST_P(FilterFileOf, EveryOtherPayloadLengthIsRefused) {
  const std::string payload = file_.substr(kPayload, file_.size() - kPayload - 8);
  for (size_t size = 0; size < payload.size(); ++size) {
    ASSERT_TRUE(absl::IsDataLoss(StatusOf(WithPayload(file_, payload.substr(0, size))))) << size;
  }
  for (size_t more = 1; more < 80; ++more) {
    ASSERT_TRUE(absl::IsDataLoss(StatusOf(WithPayload(file_, payload + std::string(more, '\0')))))
        << more;
  }
}

TEST_P(FilterFileOf, FieldsOutOfBoundsAreRefusedUnderARightChecksum) {
  const bool exact = GetParam() == Filter::Kind::kExact;
  std::vector<std::string> bad = {
      Forge64(file_, kPayloadSize, 0),     Forge64(file_, kPayloadSize, UINT64_MAX),
      Forge(file_, kReserved, "\x01"),     Forge(file_, kReserved + 2, "\x80"),
      Forge(file_, kChance, -0.01),        Forge(file_, kChance, 1.5),
      Forge(file_, kChance, std::nan("")), Forge(file_, kChance, HUGE_VAL),
      Forge(file_, 0, "siltFltr"),
  };
  bad.push_back(exact ? Forge(file_, kChance, 0.01) : Forge(file_, kChance, 0.0));
  bad.push_back(exact ? Forge64(file_, kCapacity, 1) : Forge64(file_, kCapacity, 0));
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_TRUE(absl::IsDataLoss(StatusOf(bad[i]))) << i << ": " << StatusOf(bad[i]);
  }
}

TEST_P(FilterFileOf, NumbersOfItsKindAreRefusedAtTheirExtremes) {
  for (size_t parameter = 0; parameter < 4; ++parameter) {
    const size_t offset = kParameters + 8 * parameter;
    const uint64_t good = LoadFixed64(file_.data() + offset);
    for (const uint64_t value : {uint64_t{0}, good + 64, uint64_t{1} << 32, uint64_t{1} << 58,
                                 uint64_t{1} << 61, (uint64_t{1} << 63) + 1, UINT64_MAX}) {
      if (value == good) continue;
      // The next double above the tightening is one as well.
      if (GetParam() == Filter::Kind::kScalableBloom && parameter == 1 && value == good + 64)
        continue;
      const std::string forged = Forge64(file_, offset, value);
      // Not to scale is a legal value of that parameter.
      if (GetParam() == Filter::Kind::kScalableBloom && parameter == 2 && value == 0) continue;
      EXPECT_TRUE(absl::IsDataLoss(StatusOf(forged)))
          << "parameter " << parameter << " = " << value << ": " << StatusOf(forged);
    }
  }
}

TEST_P(FilterFileOf, OtherKindsAndVersionsAreNotKnown) {
  for (const char kind : {'\0', '\x08', '\x7f', '\xff'}) {
    const absl::Status status = StatusOf(Forge(file_, kKind, {&kind, 1}));
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  }
  for (const char version : {'\0', '\x02', '\xff'}) {
    const absl::Status status = StatusOf(Forge(file_, kVersion, {&version, 1}));
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  }
}

TEST_P(FilterFileOf, TheBytesOfAnotherKindAreRefused) {
  for (const Filter::Kind other : BuiltKinds()) {
    if (other == GetParam()) continue;
    const char kind = static_cast<char>(other);
    const absl::Status status = StatusOf(Forge(file_, kKind, {&kind, 1}));
    // Counters pass for bits, and bits for counters, where the lengths happen to fit.
    EXPECT_TRUE(absl::IsDataLoss(status)) << FilterKindName(other) << ": " << status;
  }
}

TEST_P(FilterFileOf, RandomBytesBehindAGoodStartAreNeverTrusted) {
  Random random(TestSeed(5));
  for (int i = 0; i < 3000; ++i) {
    std::string file = file_;
    for (uint64_t changes = random.Between(1, 6); changes > 0; --changes) {
      file[kReserved + 3 + random.Uniform(file.size() - kReserved - 11)] =
          static_cast<char>(random.Next());
    }
    if (random.OneIn(3)) file = WithPayload(file, file.substr(kPayload, random.Uniform(100)));
    const auto filter = Filter::Parse(Forge(file, 0, ""));
    if (!filter.ok()) continue;
    // What is accepted must at least be safe to ask, to change and to write.
    for (uint64_t hash = 0; hash < 20; ++hash) (*filter)->MayContainHash(Remix(hash));
    EXPECT_GE((*filter)->fill_ratio(), 0);
    EXPECT_LE((*filter)->fill_ratio(), 1);
    EXPECT_TRUE(Filter::Parse((*filter)->Serialize()).ok());
    if (GetParam() == Filter::Kind::kCuckoo) {
      auto& cuckoo = static_cast<CuckooFilter&>(**filter);
      for (uint64_t hash = 0; hash < 50; ++hash) {
        const bool added = cuckoo.AddHash(hash).ok();
        EXPECT_TRUE(!added || cuckoo.RemoveHash(hash).ok());
      }
    }
    if (GetParam() == Filter::Kind::kScalableBloom) {
      auto& scalable = static_cast<ScalableBloomFilter&>(**filter);
      for (uint64_t hash = 0; hash < 20; ++hash) {
        if (scalable.capacity() < 1000) scalable.AddHash(Remix(hash)).IgnoreError();
      }
    }
  }
}

TEST_P(FilterFileOf, ACountThatTheBytesDenyIsRefused) {
  // The Bloom filters cannot tell.
  if (GetParam() == Filter::Kind::kStandardBloom || GetParam() == Filter::Kind::kCountingBloom) {
    return;
  }
  for (const uint64_t count : {uint64_t{0}, uint64_t{4}, uint64_t{6}, UINT64_MAX}) {
    EXPECT_TRUE(absl::IsDataLoss(StatusOf(Forge64(file_, kCount, count)))) << count;
  }
}

TEST(FilterFile, SaysWhatIsWrong) {
  const std::string bloom =
      BuildAny(Filter::Kind::kStandardBloom, NumberedKeys("user:", 5))->Serialize();
  EXPECT_EQ(MessageOf("nonsense"), "filter file magic: the bytes do not begin with SiltFltr");
  EXPECT_EQ(MessageOf("SiltFltr"), "filter file size: observed 8, expected at least 96 bytes");
  EXPECT_EQ(MessageOf(bloom.substr(0, 100)),
            "filter file payload size: observed 8, expected 4 by the size of the file");
  std::string flipped = bloom;
  flipped[90] = static_cast<char>(flipped[90] ^ 1);
  EXPECT_THAT(MessageOf(flipped), HasSubstr("filter file checksum mismatch: stored 0x"));
  EXPECT_EQ(MessageOf(Forge64(bloom, kParameters, 1000)),
            "filter file: number of bits: observed 1000, expected what 8 bytes hold");
  EXPECT_EQ(MessageOf(Forge64(bloom, kParameters + 8, 65)),
            "filter file number of probes: observed 65, expected 1 to 64");
  EXPECT_EQ(MessageOf(Forge(bloom, kKind, "\x63")), "filter file kind: observed 99, known 1 to 7");
}

TEST(FilterFile, TellsWhatItsBlockTells) {
  const std::string file = BuildAny(Filter::Kind::kBloom, NumberedKeys("user:", 5))->Serialize();
  EXPECT_EQ(MessageOf(Forge64(file, kCount, 6)),
            "filter file count: observed 6, expected 5 as in its block");
  EXPECT_EQ(MessageOf(Forge64(file, kCapacity, 6)),
            "filter file capacity: observed 6, expected 5, the count");
  EXPECT_THAT(MessageOf(Forge(file, kChance, 0.02)),
              HasSubstr("chance: observed 0.02, expected 0.01"));
}

TEST(FilterFile, BitsAndCountersBehindTheLastAreZero) {
  const std::string bloom =
      BuildAny(Filter::Kind::kStandardBloom, NumberedKeys("user:", 5))->Serialize();
  EXPECT_THAT(MessageOf(Forge(bloom, kPayload + 7, "\x80")), HasSubstr("bits behind the last"));
  const std::string counting =
      BuildAny(Filter::Kind::kCountingBloom, NumberedKeys("user:", 3))->Serialize();
  EXPECT_THAT(MessageOf(Forge(counting, counting.size() - 9, "\x10")),
              HasSubstr("counters behind the last"));
  const std::string cuckoo = BuildAny(Filter::Kind::kCuckoo, NumberedKeys("user:", 3))->Serialize();
  EXPECT_THAT(MessageOf(Forge(cuckoo, cuckoo.size() - 9, "\x80")),
              HasSubstr("bits behind the last slot"));
}

TEST(FilterFile, AnExactSetHoldsNoKeyTwice) {
  const std::string set = BuildAny(Filter::Kind::kExact, {"a", "b"})->Serialize();
  EXPECT_EQ(MessageOf(Forge(set, kPayload + 3, "a")),
            "filter file key number: observed 1, expected no key twice");
  EXPECT_THAT(MessageOf(Forge(set, kPayload + 2, "\x05")), HasSubstr("key at offset"));
}

TEST(FilterFile, SubFiltersBeforeTheLastAreFull) {
  auto filter = *ScalableBloomFilter::Reserve(0.01, 2);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(filter->Add(std::to_string(i)).ok());
  ASSERT_EQ(filter->sub_filter_count(), 2);
  const std::string file = filter->Serialize();
  const std::string forged = Forge64(Forge64(file, kCount, 4), kPayload + 16, 1);
  EXPECT_EQ(MessageOf(forged),
            "filter file keys of a sub-filter before the last: observed 1, expected 2");
  EXPECT_EQ(MessageOf(Forge64(file, kPayload + 16, 3)),
            "filter file keys of a sub-filter: observed 3, expected at most 2");
}

TEST(FilterFile, IsReadWithItsPathInTheMessage) {
  const std::shared_ptr<FileSystem> file_system = NewMemoryFileSystem();
  EXPECT_TRUE(absl::IsNotFound(Filter::Read(*file_system, "/none").status()));
  ASSERT_TRUE(file_system->ReplaceFile("/bad", "SiltFltr").ok());
  EXPECT_EQ(FromAbsl(Filter::Read(*file_system, "/bad").status().message()),
            "filter file size: observed 8, expected at least 96 bytes, in /bad");
}

TEST(FilterFileExample, IsAsTheFormatSays) {
  for (const Filter::Kind kind :
       {Filter::Kind::kStandardBloom, Filter::Kind::kCountingBloom, Filter::Kind::kCuckoo}) {
    FilterDesign design{.capacity = 2};
    if (kind == Filter::Kind::kCountingBloom) design.capacity = 1;
    const std::string file = BuildAny(kind, {"silt", "stone"}, design)->Serialize();
    EXPECT_TRUE(FormatDocumentShows(file)) << HexDump(file);
  }
}

}  // namespace
}  // namespace siltstone
