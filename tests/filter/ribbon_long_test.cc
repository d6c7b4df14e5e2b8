#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "filter/ribbon_math.h"
#include "filter/table_filter.h"

// Ribbons of up to ten million keys, at every chance: memory, no false negative, and the configured rate.

namespace siltstone {
namespace {

struct Count {
  uint64_t false_negatives = 0, false_positives = 0;
};

// Key i has the hash Remix(i), an absent one Remix(2^40 + i): a bijection, so none is the other.
Count Ask(const FilterReader& filter, uint64_t keys, uint64_t probes) {
  constexpr size_t kBatch = 4096;
  std::vector<uint64_t> hashes(kBatch);
  const auto answers = std::make_unique<bool[]>(kBatch);
  Count count;
  const auto ask = [&](uint64_t first, uint64_t total, bool wrong) {
    uint64_t found = 0;
    for (uint64_t begin = 0; begin < total; begin += kBatch) {
      const size_t size = std::min<uint64_t>(kBatch, total - begin);
      for (size_t i = 0; i < size; ++i) hashes[i] = Remix(first + begin + i);
      filter.MayContain(std::span(hashes).first(size), {answers.get(), size});
      for (size_t i = 0; i < size; ++i) found += answers[i] == wrong;
    }
    return found;
  };
  count.false_negatives = ask(0, keys, false);
  count.false_positives = ask(uint64_t{1} << 40, probes, true);
  return count;
}

TEST(RibbonLong, KeepsItsWordForEverySizeAndChance) {
  for (const uint64_t keys : {100u, 1000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u}) {
    for (const double chance : {0.9, 0.5, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4}) {
      const std::unique_ptr<FilterPolicy> policy =
          NewTableFilterPolicy({FilterKind::kRibbon, chance});
      const std::unique_ptr<FilterBuilder> builder = policy->NewBuilder(/*salt=*/keys);
      for (uint64_t i = 0; i < keys; ++i) builder->Add(Remix(i));
      auto reader = policy->OpenReader(builder->Finish());
      ASSERT_TRUE(reader.ok()) << reader.status();
      const uint64_t probes = 10'000'000;
      const Count count = Ask(**reader, keys, probes);
      EXPECT_EQ(count.false_negatives, 0u) << keys << " keys at " << chance;
      const double expected = chance * static_cast<double>(probes);
      const double found = static_cast<double>(count.false_positives);
      EXPECT_NEAR(found, expected, 4 * std::sqrt(expected * (1 - chance)))
          << keys << " keys at " << chance;
      const double bits = 8 * static_cast<double>((*reader)->memory_bytes());
      std::printf("%8llu keys at %6g: %.4f bits a key, measured %.6g (%.0f found), %.4f of it\n",
                  static_cast<unsigned long long>(keys), chance, bits / static_cast<double>(keys),
                  found / static_cast<double>(probes), found, found / expected);
    }
  }
}

}  // namespace
}  // namespace siltstone
