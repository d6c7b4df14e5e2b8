#pragma once

#include <string_view>
#include <vector>

// Which wider instructions this machine has, so that one program runs on any machine and fast on most.
//
//   std::unique_ptr<Reader> Open(const CpuFeatures& cpu = MachineCpu()) {
//     if (cpu.avx2) return std::make_unique<Avx2Reader>();
//     return std::make_unique<ScalarReader>();
//   }
//
// Code that uses them stands in functions with __attribute__((target(...))), never in files that are compiled for
// another machine: an inline function of such a file could be the one the linker keeps for the whole program. The
// choice is made once for an object, not for a call. Every path gives the same answers on the same bytes; a test runs
// each by handing out one CpuFeatures of CpuLevels() after the other.
//
// Thread safety: pure functions of the machine. Cost: the machine is asked once.

namespace siltstone {

// Immutable once filled in. All false: plain C++.
struct CpuFeatures {
  bool avx2 = false;           // AVX2 with BMI2
  bool avx512 = false;         // AVX-512 F, BW, DQ and VL; avx2 is then set as well
  bool avx512_popcnt = false;  // VPOPCNTDQ; avx512 is then set as well

  bool operator==(const CpuFeatures&) const = default;
};

// What this machine can run and its operating system saves. All false where it is not x86-64.
const CpuFeatures& MachineCpu();

// From plain C++ to everything this machine has, by one step each: for tests and benchmarks of every path.
std::vector<CpuFeatures> CpuLevels();

// "scalar", "avx2", "avx512", "avx512-popcnt".
std::string_view CpuLevelName(const CpuFeatures& cpu);

}  // namespace siltstone
