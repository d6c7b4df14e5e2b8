#include "filter/ribbon_layout.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/coding.h"
#include "base/cpu_features.h"
#include "base/random.h"
#include "filter/filter_block.h"
#include "tests/filter/filter_test_keys.h"
#include "tests/support/test_seed.h"

// Ribbon blocks whose bytes lie under a right checksum: refused, or at least safe to ask.

namespace siltstone {
namespace {

constexpr size_t kDirectory = kFilterHeaderBytes + kRibbonPreludeBytes;

// A list; the plain layer alone, with columns and without; both layers; several shards.
std::vector<std::string> BlocksOfEveryForm() {
  return {BuildBlock({FilterKind::kRibbon, 0.01}, 1, 0),
          BuildBlock({FilterKind::kRibbon, 0.01}, 1, 20),
          BuildBlock({FilterKind::kRibbon, 0.03}, 1, 100),
          BuildBlock({FilterKind::kRibbon, 0.999}, 1, 100),
          BuildBlock({FilterKind::kRibbon, 0.03}, 1, 3000),
          BuildBlock({FilterKind::kRibbon, 0.4}, 1, 300'000)};
}

std::string WithChecksum(std::string block) {
  StoreFixed64(&block[block.size() - 8], Checksum64({block.data(), block.size() - 8}));
  return block;
}

std::string With64(std::string block, size_t offset, uint64_t value) {
  StoreFixed64(&block[offset], value);
  return WithChecksum(std::move(block));
}

std::string With32(std::string block, size_t offset, uint32_t value) {
  StoreFixed32(&block[offset], value);
  return WithChecksum(std::move(block));
}

// Another number of bytes, which the size field agrees with.
std::string WithSize(std::string block, size_t size_bytes) {
  block.resize(size_bytes, '\0');
  StoreFixed64(&block[32], size_bytes - kFilterHeaderBytes - kFilterChecksumBytes);
  return WithChecksum(std::move(block));
}

// Refuses it as damaged, or opens and asks it on every path; true when it was opened.
bool IsSafe(const std::string& block) {
  bool opened = false;
  for (const CpuFeatures& cpu : CpuLevels()) {
    const auto reader = NewTableFilterPolicy({.cpu = cpu})->OpenReader(block);
    if (!reader.ok()) {
      EXPECT_TRUE(absl::IsDataLoss(reader.status()) || absl::IsUnimplemented(reader.status()))
          << reader.status();
      return false;
    }
    opened = true;
    EXPECT_LE((*reader)->memory_bytes(), block.size() * 2 + 500);
    EXPECT_GE((*reader)->predicted_fp_rate(), 0);
    EXPECT_LE((*reader)->predicted_fp_rate(), 1);
    bool answers[64];
    (*reader)->MayContain(std::span(GhostHashes()).first(64), answers);
    for (size_t i = 0; i < 64; ++i) {
      EXPECT_EQ((*reader)->MayContain(GhostHashes()[i]), answers[i]);
      (*reader)->Prefetch(GhostHashes()[i]);
    }
  }
  return opened;
}

TEST(RibbonLayout, EveryFlippedBitUnderARightChecksumIsRefusedOrSafe) {
  for (const std::string& block : BlocksOfEveryForm()) {
    ASSERT_TRUE(IsSafe(block));
    const size_t bytes = std::min<size_t>(block.size() - kFilterChecksumBytes, 400);
    for (size_t bit = kFilterHeaderBytes * 8; bit < bytes * 8; ++bit) {
      if (block.size() > 10'000 && bit > (kDirectory + 80) * 8) break;
      std::string damaged = block;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      IsSafe(WithChecksum(damaged));
    }
  }
}

TEST(RibbonLayout, EveryFieldAtItsExtremesIsRefusedOrSafe) {
  constexpr uint64_t kExtremes[] = {0,
                                    1,
                                    2,
                                    3,
                                    40,
                                    41,
                                    255,
                                    1 << 16,
                                    UINT32_MAX,
                                    uint64_t{1} << 25,
                                    (uint64_t{1} << 25) + 1,
                                    uint64_t{1} << 32,
                                    uint64_t{1} << 58,
                                    uint64_t{1} << 61,
                                    uint64_t{1} << 63,
                                    UINT64_MAX / 40,
                                    UINT64_MAX / 40 + 2,
                                    UINT64_MAX};
  for (const std::string& block : BlocksOfEveryForm()) {
    const size_t end = std::min(block.size() - kFilterChecksumBytes - 8, kDirectory + 80);
    for (size_t offset = kFilterHeaderBytes; offset <= end; ++offset) {
      if (block.size() > 10'000 && offset % 4 != 0) continue;
      for (const uint64_t value : kExtremes) {
        IsSafe(With64(block, offset, value));
        IsSafe(With32(block, offset, static_cast<uint32_t>(value)));
        std::string one = block;
        one[offset] = static_cast<char>(value);
        IsSafe(WithChecksum(one));
      }
    }
  }
}

TEST(RibbonLayout, EveryOtherNumberOfBytesIsRefused) {
  for (const std::string& block : BlocksOfEveryForm()) {
    if (block.size() > 10'000) continue;
    for (size_t size = kFilterHeaderBytes + kFilterChecksumBytes; size < block.size() + 100;
         ++size) {
      if (size == block.size()) continue;
      EXPECT_FALSE(IsSafe(WithSize(block, size))) << size << " of " << block.size();
    }
  }
}

TEST(RibbonLayout, FieldsThatDisagreeAreRefused) {
  const std::string list = BuildBlock({FilterKind::kRibbon, 0.01}, 1, 20);
  const std::string plain = BuildBlock({FilterKind::kRibbon, 0.03}, 1, 100);
  const std::string both = BuildBlock({FilterKind::kRibbon, 0.03}, 1, 3000);
  const uint64_t blocks = LoadFixed64(&both[kDirectory + 24]);
  const std::string bad[] = {
      With32(list, 40, 2),                               // probes
      With64(list, 32, list.size()),                     // size
      With64(list, kFilterHeaderBytes, 3),               // form, and no width
      With64(list, kFilterHeaderBytes, 0x0901),          // a width of nine
      With64(list, kFilterHeaderBytes, 0x01'0000'0201),  // a reserved byte
      With64(list, kFilterHeaderBytes + 8, 19),          // the count
      With64(list, kFilterHeaderBytes + 16, 1),          // the range: fingerprints reach above
      With64(list, kDirectory, LoadFixed64(&list[kDirectory]) | 0xffff),  // out of order
      With64(plain, kFilterHeaderBytes, 0x0002),                          // no columns
      With64(plain, kFilterHeaderBytes, 0x2902),                          // too many
      With64(plain, kFilterHeaderBytes + 8, 2),                           // shards
      With64(plain, kFilterHeaderBytes + 16, 1),                          // a range
      With64(plain, kDirectory, 1),                                       // the place of the body
      With64(plain, kDirectory + 8, 1),                                   // a split of no rows
      With64(plain, kDirectory + 24, 0),                                  // no rows at all
      With32(plain, kDirectory + 28, 1),                                  // one block
      With64(both, kDirectory + 24, blocks + 1),                          // more rows than bytes
      With64(both, kDirectory + 24, blocks - 1),                          // fewer
      With32(both, kDirectory + 28, 0),           // no plain layer for what is sent on
      With64(both, kDirectory + 40, UINT64_MAX),  // thresholds behind the last
  };
  for (const std::string& block : bad) {
    EXPECT_TRUE(absl::IsDataLoss(ParseFilterBlock(block).status()))
        << &block - bad << ": " << ParseFilterBlock(block).status();
  }
}

TEST(RibbonLayout, RandomChangesAreRefusedOrSafe) {
  Random random(TestSeed(21));
  const std::vector<std::string> blocks = BlocksOfEveryForm();
  for (int i = 0; i < 20'000; ++i) {
    std::string block = blocks[random.Uniform(blocks.size() - 1)];
    const size_t payload_bytes = block.size() - kFilterHeaderBytes - kFilterChecksumBytes;
    for (uint64_t changes = random.Between(1, 6); changes > 0; --changes) {
      const size_t range = std::min<size_t>(payload_bytes, random.OneIn(2) ? 64 : 4096);
      block[kFilterHeaderBytes + random.Uniform(range)] = static_cast<char>(random.Next());
    }
    IsSafe(WithChecksum(block));
  }
}

TEST(RibbonLayout, EntriesComeBackAsTheyWereStored) {
  std::string payload =
      StartRibbonPayload({.form = RibbonForm::kRibbon, .width = 7, .count = 3, .range = 0});
  const RibbonShardEntry entry{.first_word = 0x1122334455667788,
                               .splits = {5, UINT64_MAX},
                               .blocks = {9, 1u << 25},
                               .attempt = 63};
  StoreRibbonShardEntry(entry, 1, &payload);
  const RibbonShardEntry loaded = LoadRibbonShardEntry(payload, 1);
  EXPECT_EQ(loaded.first_word, entry.first_word);
  EXPECT_EQ(loaded.splits, entry.splits);
  EXPECT_EQ(loaded.blocks, entry.blocks);
  EXPECT_EQ(loaded.attempt, entry.attempt);
  EXPECT_EQ(LoadRibbonShardEntry(payload, 0).first_word, 0u);
  EXPECT_EQ(LoadRibbonPrelude(payload).count, 3u);
  EXPECT_EQ(LoadRibbonPrelude(payload).width, 7u);
}

TEST(RibbonLayout, ThresholdsAreTheFirstStartsOfABucket) {
  const char thresholds[8] = {static_cast<char>(0b11'10'01'00), 0b01};
  const std::array<uint64_t, 5> expected = {0, 16, 40, 128, 16};
  for (uint64_t bucket = 0; bucket < expected.size(); ++bucket) {
    EXPECT_EQ(RibbonThresholdOf(thresholds, bucket), expected[bucket]);
  }
  EXPECT_EQ(RibbonKeptStarts({thresholds, 8}, 640), 128 + 112 + 88 + 0 + 112);
  EXPECT_EQ(RibbonKeptStarts({thresholds, 8}, 150), 128 + 6);
  for (uint64_t code = 0; code < 4; ++code) {
    const char one[1] = {static_cast<char>(code)};
    EXPECT_EQ(RibbonThresholdOf(one, 0), kRibbonThresholds[code]);
  }
}

}  // namespace
}  // namespace siltstone
