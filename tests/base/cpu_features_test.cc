#include "base/cpu_features.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace siltstone {
namespace {

TEST(CpuFeatures, WiderInstructionsComeWithTheNarrower) {
  const CpuFeatures& cpu = MachineCpu();
  EXPECT_TRUE(cpu.avx2 || !cpu.avx512);
  EXPECT_TRUE(cpu.avx512 || !cpu.avx512_popcnt);
  EXPECT_EQ(&cpu, &MachineCpu());
}

TEST(CpuFeatures, LevelsGoFromPlainCodeToTheWholeMachine) {
  const std::vector<CpuFeatures> levels = CpuLevels();
  EXPECT_EQ(levels.front(), CpuFeatures{});
  EXPECT_EQ(levels.back(), MachineCpu());
  std::set<std::string_view> names;
  for (const CpuFeatures& level : levels) names.insert(CpuLevelName(level));
  EXPECT_EQ(names.size(), levels.size());
  EXPECT_TRUE(names.contains("scalar"));
}

}  // namespace
}  // namespace siltstone
