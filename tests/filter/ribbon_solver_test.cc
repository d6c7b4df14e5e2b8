#include "filter/ribbon_solver.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/random.h"
#include "filter/ribbon_math.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

struct Equation {
  uint64_t start, coefficients, fingerprint;
};

// The sum that a solution gives, bit by bit and straight from the format.
uint64_t SumOf(const Equation& equation, const std::string& words, uint64_t most_columns,
               uint64_t split_block) {
  uint64_t sums = 0;
  for (uint64_t i = 0; i < 64; ++i) {
    if ((equation.coefficients >> i & 1) == 0) continue;
    const uint64_t row = equation.start + i, block = row / 64;
    uint64_t first = 0;
    for (uint64_t b = 0; b < block; ++b) first += most_columns - (b < split_block);
    for (uint64_t column = 0; column < most_columns - (block < split_block); ++column) {
      const uint64_t word = LoadFixed64(words.data() + (first + column) * 8);
      sums ^= (word >> row % 64 & 1) << column;
    }
  }
  return sums;
}

TEST(RibbonBand, SolvesWhatItTook) {
  Random random(TestSeed(11));
  for (const uint64_t most_columns : {1u, 3u, 4u, 5u, 8u, 40u}) {
    for (const uint64_t split_block : {0u, 1u, 3u}) {
      constexpr uint64_t kBlocks = 5;
      const uint64_t mask = (uint64_t{1} << most_columns) - 1;
      RibbonBand band;
      band.Reset(kBlocks);
      std::vector<Equation> taken;
      for (int i = 0; i < 320; ++i) {
        const Equation equation{random.Uniform(64 * (kBlocks - 1)), random.Next() | 1,
                                random.Next()};
        if (band.Insert(equation.start, equation.coefficients, equation.fingerprint)) {
          taken.push_back(equation);
        }
      }
      EXPECT_GT(taken.size(), 250u);
      std::string words;
      band.AppendSolution(most_columns, split_block, &words);
      EXPECT_EQ(words.size(), (kBlocks * most_columns - split_block) * 8);
      for (const Equation& equation : taken) {
        const bool fewer = equation.start / 64 < split_block;
        const uint64_t counted = fewer ? mask >> 1 : mask;
        EXPECT_EQ(
            (SumOf(equation, words, most_columns, split_block) ^ equation.fingerprint) & counted,
            0u);
      }
    }
  }
}

TEST(RibbonBand, RefusesWhatContradictsAndStaysAsItWas) {
  RibbonBand band;
  band.Reset(2);
  EXPECT_TRUE(band.Insert(3, 0b101, 1));
  EXPECT_TRUE(band.Insert(5, 0b11, 1));
  EXPECT_FALSE(band.Insert(3, 0b1101 ^ 0b1000, 0)) << "the first again, with another fingerprint";
  EXPECT_FALSE(band.Insert(3, 0b1001, 1)) << "the sum of both, with a wrong one";
  std::string words;
  band.AppendSolution(1, 0, &words);
  EXPECT_EQ(SumOf({3, 0b101, 1}, words, 1, 0), 1u);
  EXPECT_EQ(SumOf({5, 0b11, 1}, words, 1, 0), 1u);
}

TEST(RibbonBand, RollbackTakesOutWhatCameSinceTheMark) {
  RibbonBand band, same;
  band.Reset(3);
  same.Reset(3);
  Random random(TestSeed(12));
  for (int i = 0; i < 60; ++i) {
    const Equation equation{random.Uniform(128), random.Next() | 1, random.Next()};
    EXPECT_EQ(band.Insert(equation.start, equation.coefficients, equation.fingerprint),
              same.Insert(equation.start, equation.coefficients, equation.fingerprint));
  }
  band.Mark();
  for (int i = 0; i < 40; ++i) band.Insert(random.Uniform(128), random.Next() | 1, random.Next());
  band.Rollback();
  std::string words, expected;
  band.AppendSolution(8, 0, &words);
  same.AppendSolution(8, 0, &expected);
  EXPECT_EQ(words, expected);
}

TEST(SortRibbonKeys, SortsByPositionAndDropsEqualOnes) {
  Random random(TestSeed(13));
  for (const uint64_t factor : {uint64_t{1}, uint64_t{5}, random.Next() | 1}) {
    for (const size_t count : {0u, 1u, 2u, 1000u, 100'000u}) {
      std::vector<uint64_t> keys, spare;
      for (size_t i = 0; i < count; ++i) keys.push_back(random.Next());
      for (size_t i = 0; i < count / 10; ++i) keys.push_back(keys[random.Uniform(count)]);
      // Keys whose high bits are equal: neighbours, and the lowest bit alone.
      for (size_t i = 0; i < count / 100; ++i) keys.push_back(keys[i] ^ 1);
      std::vector<uint64_t> expected = keys;
      std::sort(expected.begin(), expected.end(),
                [=](uint64_t a, uint64_t b) { return a * factor < b * factor; });
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      SortRibbonKeys(factor, &keys, &spare);
      EXPECT_EQ(keys, expected);
    }
  }
}

}  // namespace
}  // namespace siltstone
