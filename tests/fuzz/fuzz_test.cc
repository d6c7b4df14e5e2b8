#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/fuzz/allocation_limit.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/test_seed.h"

// Every fuzz target as a plain test: over its seeds and the corpus of inputs once found, with bits flipped, cut
// short, and mutated at random. A target that fails ends the process: run it again with the seed that was printed.

namespace siltstone::fuzz {
namespace {

class EveryTarget : public testing::TestWithParam<const FuzzTarget*> {
 protected:
  void Run(const std::string& input) const {
    const AllocationLimit limit(GetParam()->allocation_factor * input.size() + 65536 + 64);
    GetParam()->run(input);
  }
  // As it is, and with its checksums made right.
  void RunBoth(std::string input) const {
    Run(input);
    if (GetParam()->reseal == nullptr) return;
    GetParam()->reseal(&input);
    Run(input);
  }
  std::vector<std::string> Inputs() const {
    std::vector<std::string> inputs = GetParam()->make_seeds();
    const std::filesystem::path directory =
        std::filesystem::path(SILTSTONE_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam()->name;
    std::vector<std::filesystem::path> paths;
    if (std::filesystem::exists(directory)) {
      for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        paths.push_back(entry.path());
      }
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::ifstream file(path, std::ios::binary);
      inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return inputs;
  }
};

TEST_P(EveryTarget, HoldsWithAnyBitFlipped) {
  // Long inputs have their bits sampled, so that the test stays short.
  constexpr size_t kMostBits = 2048;
  for (const std::string& input : Inputs()) {
    RunBoth(input);
    const size_t step = input.size() * 8 / kMostBits + 1;
    for (size_t bit = 0; bit < input.size() * 8; bit += step) {
      std::string changed = input;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
      RunBoth(std::move(changed));
    }
  }
}

TEST_P(EveryTarget, HoldsForEveryTruncation) {
  for (const std::string& input : Inputs()) {
    const size_t step = input.size() / 512 + 1;
    for (size_t size = 0; size < input.size(); size += step) RunBoth(input.substr(0, size));
  }
}

TEST_P(EveryTarget, HoldsForRandomMutations) {
  Random random(TestSeed());
  const std::vector<std::string> inputs = Inputs();
  for (int i = 0; i < 4000; ++i) {
    RunBoth(Mutate(inputs[random.Uniform(inputs.size())], &random));
  }
}

// A reseal that did not find the checksums would leave the targets with nothing but refusals to test.
TEST_P(EveryTarget, KeepsASeedWholeWhenItIsResealed) {
  if (GetParam()->reseal == nullptr) return;  // it has no checksums
  for (const std::string& seed : GetParam()->make_seeds()) {
    std::string resealed = seed;
    GetParam()->reseal(&resealed);
    EXPECT_EQ(resealed, seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EveryTarget,
                         testing::ValuesIn(FuzzTargets().begin(), FuzzTargets().end()),
                         [](const auto& target) { return std::string(target.param->name); });

TEST(FuzzTargets, AreFoundByName) {
  for (const FuzzTarget* target : FuzzTargets()) EXPECT_EQ(FindFuzzTarget(target->name), target);
  EXPECT_EQ(FindFuzzTarget("no such target"), nullptr);
}

}  // namespace
}  // namespace siltstone::fuzz
