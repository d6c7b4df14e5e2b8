#include "filter/filter_block.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/coding.h"
#include "base/random.h"
#include "base/to_absl.h"
#include "filter/table_filter.h"
#include "tests/filter/filter_test_keys.h"

namespace siltstone {
namespace {

std::string SmallBlock(FilterKind kind) {
  return BuildBlock({kind, 0.01}, /*salt=*/0x0123456789abcdef, /*count=*/3);
}

// Changes bytes and makes the checksum right again: what a hostile or faulty writer could leave.
std::string Forge(std::string block, size_t offset, std::string_view bytes) {
  block.replace(offset, bytes.size(), bytes);
  StoreFixed64(&block[block.size() - 8], Checksum64({block.data(), block.size() - 8}));
  return block;
}
std::string Forge64(const std::string& block, size_t offset, uint64_t value) {
  std::string bytes;
  AppendFixed64(&bytes, value);
  return Forge(block, offset, bytes);
}
std::string Forge32(const std::string& block, size_t offset, uint32_t value) {
  std::string bytes;
  AppendFixed32(&bytes, value);
  return Forge(block, offset, bytes);
}

std::string Hex(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char text[8];
    std::snprintf(text, sizeof(text), "%02x%s", static_cast<unsigned char>(bytes[i]),
                  i % 16 == 15 || i + 1 == bytes.size() ? "\n" : " ");
    out += text;
  }
  return out;
}

class FilterBlock : public testing::TestWithParam<FilterKind> {
 protected:
  std::string block_ = SmallBlock(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Kinds, FilterBlock, testing::ValuesIn(kEveryTableFilter),
                         TableFilterTestName);

TEST_P(FilterBlock, SaysWhatItIs) {
  const absl::StatusOr<FilterBlockHeader> header = ParseFilterBlock(block_);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->kind, GetParam());
  EXPECT_EQ(header->salt, 0x0123456789abcdefu);
  EXPECT_EQ(header->key_count, 3u);
  EXPECT_EQ(header->configured_fp_chance, 0.01);
  EXPECT_EQ(FilterPayload(block_).size(), FilterPayloadBytes(*header));
}

TEST_P(FilterBlock, EveryFlippedBitIsRefused) {
  for (size_t bit = 0; bit < block_.size() * 8; ++bit) {
    std::string damaged = block_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const absl::StatusOr<FilterBlockHeader> header = ParseFilterBlock(damaged);
    ASSERT_FALSE(header.ok()) << "bit " << bit;
    const bool version = bit / 8 == 4 || bit / 8 == 5;
    ASSERT_EQ(header.status().code(),
              version ? absl::StatusCode::kUnimplemented : absl::StatusCode::kDataLoss)
        << "bit " << bit << ": " << header.status();
  }
}

TEST_P(FilterBlock, EveryOtherLengthIsRefused) {
  for (size_t size = 0; size < block_.size(); ++size) {
    ASSERT_TRUE(absl::IsDataLoss(ParseFilterBlock({block_.data(), size}).status())) << size;
  }
  for (size_t more = 1; more < 130; ++more) {
    const std::string longer = block_ + std::string(more, '\0');
    ASSERT_TRUE(absl::IsDataLoss(ParseFilterBlock(longer).status())) << more;
    // Even when the added bytes are covered by a right checksum.
    ASSERT_TRUE(absl::IsDataLoss(ParseFilterBlock(Forge(longer, 0, "")).status())) << more;
  }
}

TEST_P(FilterBlock, FieldsOutOfBoundsAreRefusedUnderARightChecksum) {
  const std::string bad[] = {
      Forge64(block_, 24, std::bit_cast<uint64_t>(0.0)),
      Forge64(block_, 24, std::bit_cast<uint64_t>(-0.01)),
      Forge64(block_, 24, std::bit_cast<uint64_t>(1.5)),
      Forge64(block_, 24, std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN())),
      Forge64(block_, 24, std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity())),
      Forge64(block_, 32, 0),
      Forge64(block_, 32, 1'000'000),
      Forge64(block_, 32, UINT64_MAX),
      Forge64(block_, 32, uint64_t{1} << 58),
      Forge32(block_, 40, 0),
      Forge32(block_, 40, 65),
      Forge32(block_, 40, UINT32_MAX),
      Forge(block_, 7, "\x01"),
      Forge(block_, 44, "\x01"),
      Forge(block_, 63, "\x80"),
  };
  for (const std::string& block : bad) {
    EXPECT_TRUE(absl::IsDataLoss(ParseFilterBlock(block).status()))
        << ParseFilterBlock(block).status() << "\n"
        << Hex(block);
  }
}

TEST_P(FilterBlock, OtherKindsAndVersionsAreNotKnown) {
  for (const char kind : {'\0', '\4', '\5', '\xff'}) {
    const absl::Status status = ParseFilterBlock(Forge(block_, 6, {&kind, 1})).status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  }
  for (const char version : {'\0', '\2'}) {
    const absl::Status status = ParseFilterBlock(Forge(block_, 4, {&version, 1})).status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  }
}

TEST_P(FilterBlock, RandomBytesBehindAGoodStartAreNeverTrusted) {
  const char* text = std::getenv("SILTSTONE_TEST_SEED");
  const uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 0) : 7;
  std::cout << "SILTSTONE_TEST_SEED=" << seed << "\n";
  Random random(seed);
  const std::unique_ptr<FilterPolicy> policy = NewTableFilterPolicy({});
  for (int i = 0; i < 2000; ++i) {
    std::string block = block_;
    for (uint64_t changes = random.Between(1, 8); changes > 0; --changes) {
      block[6 + random.Uniform(block.size() - 14)] = static_cast<char>(random.Next());
    }
    if (random.OneIn(2)) block.resize(random.Between(72, block.size()));
    const auto reader = policy->OpenReader(Forge(block, 0, ""));
    // What is accepted must at least be safe to ask.
    if (reader.ok()) {
      for (uint64_t hash = 0; hash < 50; ++hash) (*reader)->MayContain(Remix(hash));
    }
  }
}

TEST(StandardBloomBlock, BitsBehindTheLastAreZero) {
  const std::string block = SmallBlock(FilterKind::kStandardBloom);
  const absl::StatusOr<FilterBlockHeader> header = ParseFilterBlock(block);
  ASSERT_TRUE(header.ok());
  ASSERT_EQ(header->size, 29u);
  EXPECT_TRUE(absl::IsDataLoss(ParseFilterBlock(Forge(block, 64 + 3, "\x20")).status()));
  EXPECT_TRUE(absl::IsDataLoss(ParseFilterBlock(Forge(block, 64 + 7, "\x80")).status()));
}

TEST(FilterBlockMessage, NamesObservedAndExpected) {
  const absl::Status status = ParseFilterBlock("short").status();
  EXPECT_EQ(FromAbsl(status.message()),
            "filter block size: observed 5, expected at least 72 bytes");
}

// The worked example of FORMAT.md, byte by byte: blocks once written are read for ever.
TEST(FilterBlockExample, IsAsTheFormatSays) {
  std::unique_ptr<FilterBuilder> builder =
      NewTableFilterPolicy({FilterKind::kStandardBloom, 0.01})->NewBuilder(/*salt=*/7);
  builder->Add(1);
  builder->Add(2);
  EXPECT_EQ(Hex(builder->Finish()),
            "53 6c 46 42 01 00 01 00 07 00 00 00 00 00 00 00\n"
            "02 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f\n"
            "14 00 00 00 00 00 00 00 07 00 00 00 00 00 00 00\n"
            "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
            "da d2 03 00 00 00 00 00 24 0b 35 e1 49 b5 c7 8f\n");
  builder = NewTableFilterPolicy({FilterKind::kBloom, 0.01})->NewBuilder(/*salt=*/7);
  builder->Add(1);
  builder->Add(2);
  EXPECT_EQ(Hex(builder->Finish()),
            "53 6c 46 42 01 00 02 00 07 00 00 00 00 00 00 00\n"
            "02 00 00 00 00 00 00 00 7b 14 ae 47 e1 7a 84 3f\n"
            "01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00\n"
            "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
            "01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
            "00 00 00 00 00 00 00 00 00 00 10 00 00 00 00 00\n"
            "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
            "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
            "27 ac e5 1c 60 f7 d4 52\n");
}

}  // namespace
}  // namespace siltstone
