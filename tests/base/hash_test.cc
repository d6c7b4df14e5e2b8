#include "base/hash.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// The inverse of x ^= x >> shift.
uint64_t Unfold(uint64_t word, int shift) {
  uint64_t result = word;
  for (int done = shift; done < 64; done += shift) result = word ^ (result >> shift);
  return result;
}

// The inverse of an odd number modulo 2^64, by Newton's iteration.
uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

uint64_t Unmix(uint64_t word) {
  word = Unfold(word, 32) * Inverse(0x428a2f98d728ae23);
  word = Unfold(word, 29) * Inverse(0xbb67ae8584caa73b);
  return Unfold(word, 32) - 0x9e3779b97f4a7c15;
}

// On disk: these values never change.
TEST(Hash, KeepsItsValues) {
  EXPECT_EQ(HashKey("", 0), 0x2d06800538d394c2u);
  EXPECT_EQ(Checksum64(""), 0x2d06800538d394c2u);
  EXPECT_EQ(Unmix(Remix(0)), 0u);
  EXPECT_EQ(Remix(0), 0x918e894e8c2ad45du);
  EXPECT_EQ(Remix(1), 0xd16439d0ad115ed4u);
  EXPECT_EQ(HashKey("user:1", 42), 0xc73e760edc3786b8u);
  EXPECT_EQ(BlockChecksum("block", {1, 2}, 4096), 0xc5f8649a15966b16u);
}

TEST(Hash, DependsOnTheSeed) {
  std::set<uint64_t> hashes;
  for (uint64_t seed = 0; seed < 100; ++seed) hashes.insert(HashKey("key", seed));
  EXPECT_EQ(hashes.size(), 100u);
}

TEST(Remix, IsABijection) {
  Random random(TestSeed());
  for (int i = 0; i < 10000; ++i) {
    const uint64_t word = random.Next() >> random.Uniform(64);
    ASSERT_EQ(Unmix(Remix(word)), word);
  }
}

// Each input bit flips each output bit in about half of the cases: for random words, and for small numbers
// and single bits, which weak mixers treat worst.
TEST(Remix, EachInputBitFlipsEachOutputBitHalfOfTheTime) {
  Random random(TestSeed());
  constexpr int kWords = 6000;
  int flips[64][64] = {};
  for (int i = 0; i < kWords; ++i) {
    const uint64_t word = i % 3 == 0   ? random.Next()
                          : i % 3 == 1 ? static_cast<uint64_t>(i)
                                       : std::rotr(static_cast<uint64_t>(i), 20);
    for (int in = 0; in < 64; ++in) {
      const uint64_t changed = Remix(word) ^ Remix(word ^ (uint64_t{1} << in));
      for (int out = 0; out < 64; ++out) flips[in][out] += (changed >> out) & 1;
    }
  }
  const double bound = 6 * std::sqrt(kWords * 0.25);  // six standard deviations
  for (int in = 0; in < 64; ++in) {
    for (int out = 0; out < 64; ++out) {
      ASSERT_NEAR(flips[in][out], kWords * 0.5, bound) << "input bit " << in << ", output " << out;
    }
  }
}

TEST(FastRange64, StaysInRangeAndIsEven) {
  EXPECT_EQ(FastRange64(UINT64_MAX, 0), 0u);
  EXPECT_EQ(FastRange64(UINT64_MAX, 1), 0u);
  EXPECT_EQ(FastRange64(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
  EXPECT_EQ(FastRange64(uint64_t{1} << 63, 10), 5u);
  Random random(TestSeed());
  int counts[7] = {};
  for (int i = 0; i < 70000; ++i) ++counts[FastRange64(random.Next(), 7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 600);
}

TEST(BlockChecksum, DependsOnBytesIdAndOffset) {
  const TableId id = TableId::Random();
  const std::string block(4096, 'b');
  std::set<uint64_t> sums = {BlockChecksum(block, id, 0)};
  size_t expected = 1;
  for (int bit = 0; bit < 64; ++bit, expected += 3) {
    const uint64_t mask = uint64_t{1} << bit;
    sums.insert(BlockChecksum(block, {id.high ^ mask, id.low}, 0));
    sums.insert(BlockChecksum(block, {id.high, id.low ^ mask}, 0));
    sums.insert(BlockChecksum(block, id, mask));
  }
  for (size_t at = 0; at < block.size(); at += 97, ++expected) {
    std::string damaged = block;
    damaged[at] ^= 1;
    sums.insert(BlockChecksum(damaged, id, 0));
  }
  sums.insert(BlockChecksum(block.substr(1), id, 0));
  sums.insert(BlockChecksum("", id, 0));
  EXPECT_EQ(sums.size(), expected + 2);
  EXPECT_NE(BlockChecksum(block, {1, 2}, 0), BlockChecksum(block, {2, 1}, 0));
}

TEST(TableId, RandomIdsDiffer) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(TableId::Random().ToHex());
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_FALSE(TableId::Random().is_zero());
  EXPECT_TRUE(TableId().is_zero());
}

TEST(TableId, HexComesBack) {
  const TableId id{0x0123456789abcdef, 0xf};
  EXPECT_EQ(id.ToHex(), "0123456789abcdef000000000000000f");
  TableId parsed;
  ASSERT_TRUE(TableId::FromHex(id.ToHex(), &parsed));
  EXPECT_EQ(parsed, id);
  for (const char* wrong :
       {"", "0123456789abcdef000000000000000", "0123456789ABCDEF000000000000000f",
        "0123456789abcdef0000000000000-0f", "0123456789abcdef000000000000000f0"}) {
    EXPECT_FALSE(TableId::FromHex(wrong, &parsed)) << wrong;
    EXPECT_EQ(parsed, id);
  }
}

TEST(Random, RepeatsForASeedAndSpreadsEvenly) {
  Random a(7), b(7), c(8);
  EXPECT_EQ(a.Next(), b.Next());
  EXPECT_NE(a.Next(), c.Next());
  int heads = 0;
  for (int i = 0; i < 10000; ++i) {
    heads += a.OneIn(2);
    const uint64_t dice = a.Between(1, 6);
    ASSERT_TRUE(dice >= 1 && dice <= 6);
    const double unit = a.NextDouble();
    ASSERT_TRUE(unit >= 0 && unit < 1);
  }
  EXPECT_NEAR(heads, 5000, 300);
  EXPECT_NE(RandomSeed(), RandomSeed());
}

}  // namespace
}  // namespace siltstone
