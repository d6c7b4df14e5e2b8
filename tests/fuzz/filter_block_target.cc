#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "base/hash.h"
#include "filter/table_filter.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/reseal.h"

namespace siltstone::fuzz {

namespace {

// More than one group of a batch, and some of them equal.
constexpr size_t kAsked = 70;
using Answers = std::array<bool, kAsked>;

std::array<uint64_t, kAsked> MakeHashes() {
  std::array<uint64_t, kAsked> hashes;
  for (size_t i = 0; i < kAsked; ++i) hashes[i] = i % 8 == 7 ? i - 7 : Remix(i);
  return hashes;
}

Answers Ask(const FilterReader& filter) {
  static const std::array<uint64_t, kAsked> kHashes = MakeHashes();
  Answers answers;
  filter.MayContain(kHashes, answers);
  for (size_t i = 0; i < kAsked; ++i) {
    filter.Prefetch(kHashes[i]);
    Expect(filter.MayContain(kHashes[i]) == answers[i], "one by one as in batches");
  }
  return answers;
}

void Run(const std::string& input) {
  std::optional<Answers> first;
  bool refused = false;
  for (const CpuFeatures& cpu : CpuLevels()) {
    const auto filter =
        NewTableFilterPolicy({FilterKind::kBloom, 0.01, cpu})->OpenReader(std::string(input));
    if (!filter.ok()) {
      refused = true;
      Expect(!filter.status().message().empty(), "a refusal says why");
      continue;
    }
    Expect((*filter)->predicted_fp_rate() >= 0 && (*filter)->predicted_fp_rate() <= 1,
           "a rate is from 0 to 1");
    // A ribbon's shard takes 64 bytes in memory, 40 in the block.
    Expect((*filter)->memory_bytes() <= 2 * input.size() + 1024, "memory is that of the block");
    const Answers answers = Ask(**filter);
    Expect(first.value_or(answers) == answers, "every path of the machine says the same");
    first = answers;
  }
  Expect(!refused || !first.has_value(), "every path of the machine refuses the same");
}

std::string MakeBlock(FilterKind kind, uint64_t keys, double chance) {
  const auto builder = NewTableFilterPolicy({kind, chance})->NewBuilder(/*salt=*/7);
  for (uint64_t i = 0; i < keys; ++i) builder->Add(Remix(i));
  return builder->Finish();
}

std::vector<std::string> MakeSeeds() {
  return {MakeBlock(FilterKind::kStandardBloom, 0, 0.01),
          MakeBlock(FilterKind::kStandardBloom, 40, 0.01),
          MakeBlock(FilterKind::kBloom, 1, 0.01),
          MakeBlock(FilterKind::kBloom, 60, 0.001),
          MakeBlock(FilterKind::kRibbon, 3, 0.01),
          MakeBlock(FilterKind::kRibbon, 60, 0.7),
          MakeBlock(FilterKind::kRibbon, 100, 0.01),
          MakeBlock(FilterKind::kRibbon, 2100, 0.1)};
}

}  // namespace

const FuzzTarget kFilterBlockTarget = {
    .name = "filter_block", .run = Run, .make_seeds = MakeSeeds, .reseal = ResealFilterBlock};

}  // namespace siltstone::fuzz
