#include "filter/filter_plan.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/to_absl.h"
#include "filter/bloom_math.h"

namespace siltstone {
namespace {

FilterPlan Plan(Filter::Kind kind, uint64_t keys, double chance) {
  const auto plan = PlanFilter(kind, keys, chance);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : FilterPlan{};
}

double KiB(uint64_t bytes) { return static_cast<double>(bytes) / 1024; }

TEST(FilterPlan, ReproducesTheKnownSizes) {
  struct Row {
    uint64_t keys;
    double chance;
    uint64_t bits;
    double bits_per_key;
    uint64_t bytes;
    double kib, kib_digits;
    int probes;
    double rate, rate_digits;
  };
  constexpr Row kRows[] = {
      {1'000'000, 0.1, 4'792'530, 4.793, 599'067, 585.0, 0.05, 3, 0.10071, 5e-6},
      {1'000'000, 0.01, 9'585'059, 9.585, 1'198'133, 1170.1, 0.05, 7, 0.01004, 5e-6},
      {1'000'000, 0.001, 14'377'588, 14.378, 1'797'199, 1755.1, 0.05, 10, 0.00100002, 5e-9},
      {50'000'000, 0.001, 718'879'379, 14.378, 89'859'923, 90e6 / 1024, 150, 10, 0.00100002, 5e-9},
      {1'000'000'000, 0.01, 9'585'058'378, 9.585, 1'198'132'298, 1.12 * 1048576, 0.005 * 1048576, 7,
       0.01004, 5e-6},
  };
  for (const Row& row : kRows) {
    const FilterPlan plan = Plan(Filter::Kind::kStandardBloom, row.keys, row.chance);
    EXPECT_EQ(plan.bits, row.bits);
    EXPECT_EQ(plan.bytes, row.bytes);
    EXPECT_NEAR(plan.bits_per_key, row.bits_per_key, 5e-4);
    EXPECT_NEAR(KiB(plan.bytes), row.kib, row.kib_digits);
    EXPECT_EQ(plan.probes, row.probes);
    EXPECT_NEAR(plan.predicted_fp_rate, row.rate, row.rate_digits);
    EXPECT_EQ(plan.keys, row.keys);
    EXPECT_EQ(plan.fp_chance, row.chance);
  }
  EXPECT_NEAR(Plan(Filter::Kind::kStandardBloom, 1'000'000, 0.01).probes_before_rounding, 6.644,
              5e-4);
}

TEST(FilterPlan, TheOtherKindsTakeWhatTheirArithmeticSays) {
  constexpr uint64_t kKeys = 1'000'000;
  const FilterPlan lines = Plan(Filter::Kind::kBloom, kKeys, 0.01);
  EXPECT_NEAR(lines.bits_per_key, 9.918, 0.02);
  EXPECT_LE(lines.predicted_fp_rate, 0.01);
  EXPECT_EQ(lines.probes, 6);

  const FilterPlan counting = Plan(Filter::Kind::kCountingBloom, kKeys, 0.01);
  EXPECT_EQ(counting.bits, 4 * 9'585'059u);
  EXPECT_EQ(counting.probes, 7);

  const FilterPlan cuckoo = Plan(Filter::Kind::kCuckoo, kKeys, 0.01);
  EXPECT_EQ(cuckoo.fingerprint_bits, 10);
  EXPECT_NEAR(cuckoo.bits_per_key, 10 / 0.95, 0.001);
  EXPECT_NEAR(cuckoo.predicted_fp_rate, 8 * 0.95 / 1023, 5e-5);
  EXPECT_EQ(cuckoo.probes, 0);

  const FilterPlan ribbon = Plan(Filter::Kind::kRibbon, kKeys, 0.01);
  EXPECT_NEAR(ribbon.bits_per_key, 6.77, 0.02);
  EXPECT_EQ(ribbon.predicted_fp_rate, 0.01);

  // Half of the chance is kept for the sub-filters to come.
  const FilterPlan scalable = Plan(Filter::Kind::kScalableBloom, kKeys, 0.01);
  EXPECT_LE(scalable.predicted_fp_rate, 0.005);
  EXPECT_NEAR(scalable.bits_per_key, 11.03, 0.02);

  const FilterPlan exact = Plan(Filter::Kind::kExact, kKeys, 0.01);
  EXPECT_EQ(exact.predicted_fp_rate, 0);
  EXPECT_NEAR(exact.bits_per_key, 8 * (16 / 0.875 + 17), 0.01);
}

TEST(FilterPlan, AnUnknownKindHasNone) {
  EXPECT_TRUE(
      absl::IsUnimplemented(PlanFilter(static_cast<Filter::Kind>(99), 1000, 0.01).status()));
}

TEST(FilterPlan, ArgumentsOutOfRangeAreNamed) {
  const auto message = [](uint64_t keys, double chance) {
    const absl::Status status = PlanFilter(Filter::Kind::kCuckoo, keys, chance).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(FromAbsl(status.message()));
  };
  EXPECT_EQ(message(0, 0.01), "capacity = 0: legal are 1 to 2^40 keys");
  EXPECT_EQ(message(10, 1.5), "fp_chance = 1.5: legal are 2^-40 <= p < 1");
  EXPECT_EQ(message(10, 1e-13), "fp_chance = 1e-13: legal are 2^-40 <= p < 1");
}

TEST(FilterPlan, EveryNumberOfKeysHasOne) {
  for (const Filter::Kind kind :
       {Filter::Kind::kStandardBloom, Filter::Kind::kBloom, Filter::Kind::kCountingBloom,
        Filter::Kind::kCuckoo, Filter::Kind::kScalableBloom, Filter::Kind::kExact}) {
    for (const uint64_t keys : {uint64_t{1}, uint64_t{100}, kMaxFilterCapacity}) {
      for (const double chance : {0x1p-40, 0.5, 1 - 1e-16}) {
        const FilterPlan plan = Plan(kind, keys, chance);
        EXPECT_GE(plan.bits, 1u);
        EXPECT_EQ(plan.bytes, (plan.bits + 7) / 8);
      }
    }
  }
}

TEST(StrictBloomSize, KeepsTheChanceWithTheFewestBits) {
  for (const double chance : {0.99, 0.7, 0.5, 0.2, 0.1, 0.03, 0.01, 1e-3, 1e-6, 0x1p-40}) {
    constexpr uint64_t kKeys = 100'000;
    const BloomSize size = StrictBloomSize(kKeys, chance);
    EXPECT_LE(StandardBloomRate(size.bits, kKeys, size.probes), chance * (1 + 1e-9)) << chance;
    for (int probes = 1; probes <= kMaxProbes; ++probes) {
      EXPECT_GT(StandardBloomRate(size.bits - 2, kKeys, probes), chance) << chance << " " << probes;
    }
  }
}

TEST(SubFilterChance, SumsUpToTheWhole) {
  for (const double tightening : {0.3, 0.5, 0.9}) {
    double sum = 0;
    for (int i = 0; i < 64; ++i) sum += SubFilterChance(0.01 - sum, tightening);
    EXPECT_LE(sum, 0.01 * (1 + 1e-9));
    EXPECT_GT(sum, 0.0099);
  }
}

TEST(SizeCuckoo, TakesTheShortestFingerprintThatKeepsTheChance) {
  for (const double chance : {0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-9, 0x1p-40}) {
    for (const uint64_t keys : {1u, 10u, 1000u, 1'000'000u}) {
      const CuckooSize size = SizeCuckoo(keys, chance);
      const double load = static_cast<double>(keys) / static_cast<double>(size.buckets * 4);
      EXPECT_LE(load, 0.95);
      EXPECT_EQ(size.buckets % 2, 0u);
      EXPECT_LE(CuckooRate(size.fingerprint_bits, load), chance);
      if (size.fingerprint_bits > 5) {
        EXPECT_GT(CuckooRate(size.fingerprint_bits - 1, load), chance);
      }
    }
  }
}

}  // namespace
}  // namespace siltstone
