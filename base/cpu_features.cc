#include "base/cpu_features.h"

namespace siltstone {

namespace {

CpuFeatures AskMachine() {
  CpuFeatures cpu;
#if defined(__x86_64__)
  // These ask for the instructions and for the operating system's saving of their registers.
  __builtin_cpu_init();
  cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  cpu.avx512 = cpu.avx2 && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
  cpu.avx512_popcnt = cpu.avx512 && __builtin_cpu_supports("avx512vpopcntdq");
#endif
  return cpu;
}

}  // namespace

const CpuFeatures& MachineCpu() {
  static const CpuFeatures cpu = AskMachine();
  return cpu;
}

std::vector<CpuFeatures> CpuLevels() {
  const CpuFeatures& machine = MachineCpu();
  std::vector<CpuFeatures> levels{{}};
  if (machine.avx2) levels.push_back({.avx2 = true});
  if (machine.avx512) levels.push_back({.avx2 = true, .avx512 = true});
  if (machine.avx512_popcnt) {
    levels.push_back({.avx2 = true, .avx512 = true, .avx512_popcnt = true});
  }
  return levels;
}

std::string_view CpuLevelName(const CpuFeatures& cpu) {
  if (cpu.avx512_popcnt) return "avx512-popcnt";
  if (cpu.avx512) return "avx512";
  return cpu.avx2 ? "avx2" : "scalar";
}

}  // namespace siltstone
