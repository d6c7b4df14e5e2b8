#include "filter/bloom_math.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "base/check.h"

namespace siltstone {

namespace {

// After this many throws into n cells, in units of n, every cell is hit but for a chance below 1e-19.
constexpr uint64_t kSaturation = 46;
// Weights below this share of the greatest one are left out of a sum.
constexpr double kNegligible = 1e-30;

// P(D = d) for d = 0 .. throws: how many distinct cells that many uniform throws into `cells` meet.
std::vector<double> DistinctCells(double cells, int throws) {
  std::vector<double> chance(static_cast<size_t>(throws) + 1, 0.0);
  chance[0] = 1;
  for (int t = 0; t < throws; ++t) {
    for (int d = t + 1; d > 0; --d) {
      chance[d] = chance[d] * (d / cells) + chance[d - 1] * ((cells - (d - 1)) / cells);
    }
    chance[0] = 0;
  }
  return chance;
}

// E[(X / cells)^k], X the number of distinct cells after some uniform throws, throw by throw.
//
// k probes of an absent key meet D distinct cells, and the answer is "maybe" when all of these have been hit. Let
// G(t, d) be the chance that d given cells are all hit by t throws. The first throw hits one of them or none:
//   G(t, d) = (d / cells) G(t - 1, d - 1) + (1 - d / cells) G(t - 1, d),   G(t, 0) = 1, G(0, d) = 0.
// Only positive terms: unlike the inclusion and exclusion formula nothing cancels, for any k.
//
// Thread-compatible. Cost: O(k) a throw.
class HitModel {
 public:
  HitModel(double cells, int probes)
      : cells_(cells), distinct_(DistinctCells(cells, probes)), all_hit_(distinct_.size(), 0.0) {
    all_hit_[0] = 1;
  }

  void Throw() {
    for (size_t d = all_hit_.size() - 1; d > 0; --d) {
      const double one_of_them = static_cast<double>(d) / cells_;
      all_hit_[d] = all_hit_[d - 1] * one_of_them + all_hit_[d] * (1 - one_of_them);
    }
  }

  double Moment() const {
    double sum = 0;
    for (size_t d = 0; d < all_hit_.size(); ++d) sum += distinct_[d] * all_hit_[d];
    return std::min(sum, 1.0);
  }

 private:
  double cells_;
  std::vector<double> distinct_;
  std::vector<double> all_hit_;  // G(t, d) by d
};

// The rate of one line by the number of its keys, for one number of probes. Thread-compatible.
class LineModel {
 public:
  explicit LineModel(int probes)
      : probes_(probes),
        saturated_keys_(kSaturation * kLineBits / static_cast<uint64_t>(probes) + 1),
        model_(static_cast<double>(kLineBits), probes),
        rates_{model_.Moment()} {}

  double Rate(uint64_t keys) {
    const uint64_t index = std::min(keys, saturated_keys_);
    while (rates_.size() <= index) {
      for (int i = 0; i < probes_; ++i) model_.Throw();
      rates_.push_back(model_.Moment());
    }
    return rates_[index];
  }

  // With so many keys each bit of a line is set, as far as a double can tell.
  uint64_t saturated_keys() const { return saturated_keys_; }

 private:
  int probes_;
  uint64_t saturated_keys_;
  HitModel model_;
  std::vector<double> rates_;
};

// The mean of LineModel::Rate over Binom(keys, 1/lines). The weights start from 1 at the mode and go outwards by
// their ratios: the logarithms of factorials of 2^32 would leave only five digits.
double MeanRate(uint64_t keys, uint64_t lines, LineModel* model) {
  if (lines == 1) return model->Rate(keys);
  const double n = static_cast<double>(keys), mean = n / static_cast<double>(lines);
  if (mean - 40 * std::sqrt(mean) > static_cast<double>(model->saturated_keys())) return 1;
  const double odds = 1 / (static_cast<double>(lines) - 1);
  const uint64_t mode = std::min(keys, static_cast<uint64_t>(mean));
  double weights = 0, sum = 0;
  double weight = 1;
  for (uint64_t j = mode; j <= keys && weight > kNegligible; ++j) {
    weights += weight;
    sum += weight * model->Rate(j);
    weight *= (n - static_cast<double>(j)) / static_cast<double>(j + 1) * odds;
  }
  weight = 1;
  for (uint64_t j = mode; j > 0 && weight > kNegligible; --j) {
    weight *= static_cast<double>(j) / ((n - static_cast<double>(j - 1)) * odds);
    weights += weight;
    sum += weight * model->Rate(j - 1);
  }
  return sum / weights;
}

// The least number of lines up to `enough` with a rate of at most `chance`. The rate falls as lines are added.
// REQUIRES: `enough` lines reach it.
uint64_t LeastLines(uint64_t keys, double chance, uint64_t enough, LineModel* model) {
  uint64_t too_few = 0;
  while (enough - too_few > 1) {
    const uint64_t middle = too_few + (enough - too_few) / 2;
    (MeanRate(keys, middle, model) <= chance ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace

uint64_t StandardBloomBits(uint64_t keys, double chance) {
  SILTSTONE_CHECK(chance > 0 && chance <= 1);
  const double bits = std::ceil(-static_cast<double>(keys) * std::log(chance) /
                                (std::numbers::ln2 * std::numbers::ln2));
  return bits < 1 ? 1 : static_cast<uint64_t>(bits);
}

int StandardBloomProbes(uint64_t bits, uint64_t keys) {
  if (keys == 0) return 1;
  const double probes =
      std::round(static_cast<double>(bits) / static_cast<double>(keys) * std::numbers::ln2);
  return static_cast<int>(std::clamp(probes, 1.0, static_cast<double>(kMaxProbes)));
}

double StandardBloomRate(uint64_t bits, uint64_t keys, int probes) {
  const double throws_per_bit = static_cast<double>(keys) * probes / static_cast<double>(bits);
  return std::pow(-std::expm1(-throws_per_bit), probes);
}

double StandardBloomExactRate(uint64_t bits, uint64_t keys, int probes) {
  constexpr double kMostThrows = 65'536;
  const double m = static_cast<double>(bits);
  const double throws = static_cast<double>(keys) * probes;
  if (throws <= kMostThrows) {
    HitModel model(m, probes);
    for (uint64_t t = 0; t < static_cast<uint64_t>(throws); ++t) model.Throw();
    return model.Moment();
  }
  // E[f^k] = f^k + k (k - 1) / 2 f^(k - 2) Var f + ..., f the share of set bits. With a and b the chances that one
  // bit and that two bits stay clear, the variance of the share is a / m + (1 - 1 / m) b - a^2.
  const double a = std::exp(throws * std::log1p(-1 / m));
  const double b = std::exp(throws * std::log1p(-2 / m));
  const double variance = std::max(0.0, (a - b) / m + (b - a * a));
  const double share = 1 - a;
  return std::pow(share, probes) +
         probes * (probes - 1) / 2.0 * std::pow(share, probes - 2) * variance;
}

double CacheLineBloomRate(uint64_t keys, uint64_t lines, int probes) {
  SILTSTONE_CHECK(lines > 0 && probes > 0 && probes <= kMaxProbes);
  LineModel model(probes);
  return MeanRate(keys, lines, &model);
}

CacheLineBloomSize SizeCacheLineBloom(uint64_t keys, double chance) {
  SILTSTONE_CHECK(chance > 0 && chance <= 1);
  chance = std::max(chance, kSmallestChance);
  const double ideal_probes = LeastBitsPerKey(chance);
  // Overfull lines raise the rate the more the more bits a key sets, so the best number of probes is not above the
  // textbook's by more than rounding.
  const int most_probes = static_cast<int>(std::ceil(ideal_probes)) + 2;
  std::map<int, LineModel> models;
  const auto model = [&models](int probes) {
    return &models.try_emplace(probes, probes).first->second;
  };

  const int first_guess = std::max(1, static_cast<int>(0.85 * ideal_probes));
  uint64_t lines = 1 + static_cast<uint64_t>(1.5 * ideal_probes * static_cast<double>(keys) /
                                             static_cast<double>(kLineBits));
  while (MeanRate(keys, lines, model(first_guess)) > chance) lines += lines / 4 + 1;
  lines = LeastLines(keys, chance, lines, model(first_guess));
  for (int probes = most_probes; probes > 0 && lines > 1; --probes) {
    if (MeanRate(keys, lines - 1, model(probes)) > chance) continue;
    lines = LeastLines(keys, chance, lines - 1, model(probes));
  }
  for (int probes = 1; probes < most_probes; ++probes) {
    const double rate = MeanRate(keys, lines, model(probes));
    if (rate <= chance) return {lines, probes, rate};
  }
  return {lines, most_probes, MeanRate(keys, lines, model(most_probes))};
}

double LeastBitsPerKey(double chance) { return -std::log2(chance); }

}  // namespace siltstone
