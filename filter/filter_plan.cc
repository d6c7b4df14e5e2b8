#include "filter/filter_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/status_macros.h"
#include "filter/bloom_math.h"
#include "filter/exact_set.h"
#include "filter/ribbon_math.h"

namespace siltstone {

namespace {

// The load that buckets of four slots reach with ease (Fan et al. 2014, section 5.1).
constexpr double kCuckooLoad = 0.95;
// Small filters do not reach that load for certain: some buckets more cost a large one nothing.
constexpr uint64_t kCuckooSpareBuckets = 4;
// With fewer the two buckets of a fingerprint are too few different pairs for that load.
constexpr int kLeastFingerprintBits = 5;
constexpr double kLeastSubFilterChance = 0x1p-60;

void PlanBloom(const BloomSize& size, FilterPlan* plan) {
  plan->bits = size.bits;
  plan->probes = size.probes;
  plan->predicted_fp_rate = StandardBloomRate(size.bits, plan->keys, size.probes);
}

void PlanTextbookBloom(FilterPlan* plan) {
  PlanBloom(TextbookBloomSize(plan->keys, plan->fp_chance), plan);
  plan->probes_before_rounding =
      static_cast<double>(plan->bits) / static_cast<double>(plan->keys) * std::numbers::ln2;
}

void PlanCacheLineBloom(FilterPlan* plan) {
  const CacheLineBloomSize size = SizeCacheLineBloom(plan->keys, plan->fp_chance);
  plan->bits = size.lines * kLineBits;
  plan->probes = size.probes;
  plan->predicted_fp_rate = size.rate;
}

void PlanSubFilter(FilterPlan* plan) {
  const double chance = SubFilterChance(plan->fp_chance, ScalingOptions{}.tightening);
  PlanBloom(StrictBloomSize(std::max(plan->keys, kLeastSubFilterKeys), chance), plan);
}

void PlanCuckoo(FilterPlan* plan) {
  const CuckooSize size = SizeCuckoo(plan->keys, plan->fp_chance);
  const uint64_t slots = size.buckets * kCuckooSlotsPerBucket;
  plan->bits = slots * static_cast<uint64_t>(size.fingerprint_bits);
  plan->fingerprint_bits = size.fingerprint_bits;
  plan->predicted_fp_rate = CuckooRate(
      size.fingerprint_bits, static_cast<double>(plan->keys) / static_cast<double>(slots));
}

void PlanRibbon(FilterPlan* plan) {
  plan->bits = static_cast<uint64_t>(
      std::ceil(RibbonBitsPerKey(plan->keys, plan->fp_chance) * static_cast<double>(plan->keys)));
  plan->predicted_fp_rate = plan->fp_chance;
}

absl::Status PlanByKind(double mean_key_bytes, FilterPlan* plan) {
  switch (plan->kind) {
    case Filter::Kind::kStandardBloom:
      PlanTextbookBloom(plan);
      return absl::OkStatus();
    case Filter::Kind::kBloom:
      PlanCacheLineBloom(plan);
      return absl::OkStatus();
    case Filter::Kind::kCountingBloom:
      PlanTextbookBloom(plan);
      plan->bits *= 4;
      return absl::OkStatus();
    case Filter::Kind::kCuckoo:
      PlanCuckoo(plan);
      return absl::OkStatus();
    case Filter::Kind::kScalableBloom:
      PlanSubFilter(plan);
      return absl::OkStatus();
    case Filter::Kind::kExact:
      plan->bits = ExactSetBytes(plan->keys, mean_key_bytes) * 8;
      return absl::OkStatus();
    case Filter::Kind::kRibbon:
      PlanRibbon(plan);
      return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      "no plan for filters of kind ", ToAbsl(FilterKindName(plan->kind)), " in this version"));
}

}  // namespace

absl::Status CheckCapacity(uint64_t capacity) {
  if (capacity >= 1 && capacity <= kMaxFilterCapacity) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("capacity = ", capacity, ": legal are 1 to 2^40 keys"));
}

absl::Status CheckFilterChance(double fp_chance) {
  if (fp_chance >= kSmallestChance && fp_chance < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("fp_chance = ", fp_chance, ": legal are 2^-40 <= p < 1"));
}

absl::Status CheckFilterDesign(const FilterDesign& design) {
  SILTSTONE_RETURN_IF_ERROR(CheckCapacity(design.capacity));
  return CheckFilterChance(design.fp_chance);
}

BloomSize TextbookBloomSize(uint64_t keys, double chance) {
  const uint64_t bits = StandardBloomBits(keys, chance);
  return {bits, StandardBloomProbes(bits, keys)};
}

BloomSize StrictBloomSize(uint64_t keys, double chance) {
  const double ideal = LeastBitsPerKey(chance);
  BloomSize best{UINT64_MAX, 0};
  for (const double k : {std::floor(ideal), std::ceil(ideal)}) {
    const double probes = std::clamp(k, 1.0, static_cast<double>(kMaxProbes));
    const double bits =
        std::ceil(-probes * static_cast<double>(keys) / std::log1p(-std::pow(chance, 1 / probes)));
    if (bits < static_cast<double>(best.bits)) {
      best = {std::max<uint64_t>(1, static_cast<uint64_t>(bits)), static_cast<int>(probes)};
    }
  }
  return best;
}

double SubFilterChance(double chance_left, double tightening) {
  return std::max(chance_left * (1 - tightening), kLeastSubFilterChance);
}

CuckooSize SizeCuckoo(uint64_t capacity, double chance) {
  const double slots = static_cast<double>(capacity) / kCuckooLoad;
  const uint64_t pairs = static_cast<uint64_t>(std::ceil(slots / (2 * kCuckooSlotsPerBucket)));
  const uint64_t buckets = 2 * pairs + kCuckooSpareBuckets;
  const double load =
      static_cast<double>(capacity) / static_cast<double>(buckets * kCuckooSlotsPerBucket);
  int fingerprint_bits = kLeastFingerprintBits;
  while (CuckooRate(fingerprint_bits, load) > chance) ++fingerprint_bits;
  return {buckets, fingerprint_bits};
}

double CuckooRate(int fingerprint_bits, double load) {
  const double values = std::ldexp(1.0, fingerprint_bits) - 1;
  return -std::expm1(2 * kCuckooSlotsPerBucket * load * std::log1p(-1 / values));
}

absl::StatusOr<FilterPlan> PlanFilter(Filter::Kind kind, uint64_t keys, double fp_chance,
                                      double mean_key_bytes) {
  SILTSTONE_RETURN_IF_ERROR(CheckCapacity(keys));
  SILTSTONE_RETURN_IF_ERROR(CheckFilterChance(fp_chance));
  FilterPlan plan{.kind = kind, .keys = keys, .fp_chance = fp_chance};
  SILTSTONE_RETURN_IF_ERROR(PlanByKind(mean_key_bytes, &plan));
  plan.bytes = plan.bits / 8 + (plan.bits % 8 != 0);
  plan.bits_per_key = static_cast<double>(plan.bits) / static_cast<double>(keys);
  return plan;
}

}  // namespace siltstone
