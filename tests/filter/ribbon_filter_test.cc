#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/cpu_features.h"
#include "filter/filter_block.h"
#include "filter/ribbon_builder.h"
#include "filter/ribbon_layout.h"
#include "filter/ribbon_reader.h"
#include "tests/filter/filter_measurement.h"
#include "tests/filter/filter_test_keys.h"

namespace siltstone {
namespace {

std::unique_ptr<FilterReader> Open(std::string block, const CpuFeatures& cpu = MachineCpu()) {
  auto reader = NewTableFilterPolicy({.cpu = cpu})->OpenReader(std::move(block));
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

RibbonPrelude PreludeOf(std::string_view block) { return LoadRibbonPrelude(FilterPayload(block)); }

double BitsPerKey(double chance, uint64_t keys) {
  const std::string block = BuildBlock({FilterKind::kRibbon, chance}, 1, keys);
  return static_cast<double>(block.size()) * 8 / static_cast<double>(keys);
}

TEST(RibbonFilter, OfAMillionKeysTakesTheMemoryOfTheLimit) {
  EXPECT_LE(BitsPerKey(0.01, 1'000'000), 6.80);
  EXPECT_LE(BitsPerKey(0.001, 1'000'000), 10.1);
}

TEST(RibbonFilter, NeverDeniesAKey) {
  for (const uint64_t count : {1u, 2u, 3u, 48u, 49u, 63u, 64u, 65u, 1000u, 2000u, 2001u, 2100u,
                               5000u, 100'000u, 262'144u, 262'145u}) {
    for (const double chance : {0.9, 0.5, 0.1, 0.01, 1e-4, 1e-12}) {
      if (count > 10'000 && chance != 0.01 && chance != 0.9) continue;
      const auto filter = Open(BuildBlock({FilterKind::kRibbon, chance}, count + 1, count));
      ASSERT_NE(filter, nullptr);
      uint64_t denied = 0;
      for (uint64_t i = 0; i < count; ++i) denied += !filter->MayContain(UserHashes()[i]);
      EXPECT_EQ(denied, 0u) << count << " keys at " << chance;
    }
  }
}

TEST(RibbonFilter, IsAListForAFewKeysAndRowsForMore) {
  EXPECT_EQ(PreludeOf(BuildBlock({FilterKind::kRibbon, 0.01}, 1, 0)).form, RibbonForm::kList);
  EXPECT_EQ(PreludeOf(BuildBlock({FilterKind::kRibbon, 0.01}, 1, 48)).form, RibbonForm::kList);
  EXPECT_EQ(PreludeOf(BuildBlock({FilterKind::kRibbon, 0.01}, 1, 49)).form, RibbonForm::kRibbon);
  EXPECT_EQ(PreludeOf(BuildBlock({FilterKind::kRibbon, 0.3}, 1, 3)).form, RibbonForm::kRibbon);
  EXPECT_EQ(PreludeOf(BuildBlock({FilterKind::kRibbon, 0.5}, 1, 600'000)).count, 3u);
}

TEST(RibbonFilter, EveryPathOfTheMachineAnswersAlike) {
  // One and more vectors of columns, whole ones and not; one layer, both, several shards; a list.
  for (const double chance :
       {0.9, 0.5, 0.2, 0.1, 0.04, 0.03, 0.01, 0.005, 0.003, 1e-3, 1e-5, 1e-9, 1e-12}) {
    for (const uint64_t count : {7u, 500u, 30'000u}) {
      const std::string block = BuildBlock({FilterKind::kRibbon, chance}, 5, count);
      const auto plain = Open(block, CpuFeatures{});
      ASSERT_NE(plain, nullptr);
      for (const CpuFeatures& cpu : CpuLevels()) {
        const auto filter = Open(block, cpu);
        ASSERT_NE(filter, nullptr);
        uint64_t different = 0;
        for (uint64_t i = 0; i < 40'000; ++i) {
          different += plain->MayContain(GhostHashes()[i]) != filter->MayContain(GhostHashes()[i]);
          different += plain->MayContain(UserHashes()[i]) != filter->MayContain(UserHashes()[i]);
        }
        EXPECT_EQ(different, 0u) << CpuLevelName(cpu) << ": " << count << " keys at " << chance;
        const auto many = std::make_unique<bool[]>(40'000);
        filter->MayContain(std::span(GhostHashes()).first(39'999), {many.get(), 39'999});
        for (uint64_t i = 0; i < 39'999; ++i) {
          different += many[i] != plain->MayContain(GhostHashes()[i]);
        }
        EXPECT_EQ(different, 0u) << CpuLevelName(cpu) << ", many at once";
      }
    }
  }
}

TEST(RibbonFilter, EqualHashesCountOnce) {
  for (const uint64_t count : {20u, 1000u, 10'000u}) {
    RibbonBuilder builder(0.01, 3);
    for (uint64_t i = 0; i < count; ++i) {
      builder.Add(UserHashes()[i / 2]);
    }
    const auto filter = Open(builder.Finish());
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->key_count(), count);
    for (uint64_t i = 0; i < count / 2; ++i) ASSERT_TRUE(filter->MayContain(UserHashes()[i]));
    EXPECT_NEAR(filter->predicted_fp_rate(), 0.01, 1e-4);
  }
}

TEST(RibbonFilter, TheOrderOfTheKeysDoesNotMatter) {
  for (const uint64_t count : {10u, 1000u, 300'000u}) {
    RibbonBuilder forward(0.01, 3), backward(0.01, 3);
    for (uint64_t i = 0; i < count; ++i) {
      forward.Add(UserHashes()[i]);
      backward.Add(UserHashes()[count - 1 - i]);
    }
    EXPECT_EQ(forward.Finish(), backward.Finish());
  }
}

TEST(RibbonFilter, IsAListOfAllKeysWhereNoAttemptSolves) {
  for (const double chance : {0.5, 0.01, 1e-12}) {
    RibbonBuilder builder(chance, 3, /*max_attempts=*/0);
    for (uint64_t i = 0; i < 300'000; ++i) builder.Add(UserHashes()[i]);
    const std::string block = builder.Finish();
    EXPECT_EQ(PreludeOf(block).form, RibbonForm::kList);
    const auto filter = Open(block);
    ASSERT_NE(filter, nullptr);
    uint64_t denied = 0, wrong = 0;
    for (uint64_t i = 0; i < 300'000; ++i) {
      denied += !filter->MayContain(UserHashes()[i]);
      wrong += filter->MayContain(GhostHashes()[i]);
    }
    EXPECT_EQ(denied, 0u);
    EXPECT_NEAR(static_cast<double>(wrong), 300'000 * chance, 4 * std::sqrt(300'000 * chance) + 1);
    EXPECT_NEAR(filter->predicted_fp_rate(), chance, chance * 0.02);
  }
}

TEST(RibbonFilter, KeysThatCrowdOneShardAreSentOn) {
  // Hashes whose remix lies in one narrow part: nothing that a seeded hash gives, but it must be answered right.
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; hashes.size() < 20'000; ++i) {
    if (RibbonHash(Remix(i), 3) >> 56 == 7) hashes.push_back(Remix(i));
  }
  RibbonBuilder builder(0.01, 3);
  for (const uint64_t hash : hashes) builder.Add(hash);
  const auto filter = Open(builder.Finish());
  ASSERT_NE(filter, nullptr);
  uint64_t denied = 0, wrong = 0;
  for (const uint64_t hash : hashes) denied += !filter->MayContain(hash);
  EXPECT_EQ(denied, 0u);
  for (int i = 0; i < 200'000; ++i) wrong += filter->MayContain(GhostHashes()[i]);
  EXPECT_NEAR(static_cast<double>(wrong), 200'000 * filter->predicted_fp_rate(),
              4 * std::sqrt(2000.0));
}

TEST(RibbonRate, IsTheChanceEverywhere) {
  for (const uint64_t count : {100u, 1000u, 2001u, 4000u, 10'000u, 100'000u}) {
    for (const double chance : {0.9, 0.5, 0.3, 0.1, 0.03, 0.01, 1e-3}) {
      const Trial trial{count, count < 50'000 ? 4u : 1u, 200'000};
      const Measurement got = Measure({FilterKind::kRibbon, chance}, trial);
      EXPECT_EQ(got.false_negatives, 0u);
      const double probes = static_cast<double>(trial.salts * trial.probes);
      EXPECT_NEAR(got.predicted / static_cast<double>(trial.salts), chance, chance * 1e-9);
      EXPECT_NEAR(got.false_positives, probes * chance,
                  4 * std::sqrt(probes * chance * (1 - chance)))
          << count << " keys at " << chance;
    }
  }
}

}  // namespace
}  // namespace siltstone
