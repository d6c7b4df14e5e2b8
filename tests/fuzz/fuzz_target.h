#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

// A decoder under any bytes. Each FuzzTarget is run by fuzz_test, over its seeds and mutations of them, and as a
// program for libFuzzer (libfuzzer/driver.cc).
//
// A target knows more than "does not crash": what a decoder accepts must be consistent, by every way it can be read.

namespace siltstone::fuzz {

struct FuzzTarget {
  std::string_view name;
  // Decodes the input, and uses what it accepts. Ends the process where a promise does not hold.
  void (*run)(const std::string& input);
  // Valid inputs, the same every time.
  std::vector<std::string> (*make_seeds)();
  // Makes the checksums of a mutated input right again, as far as its structure still shows where they stand: random
  // changes would otherwise never get past them. Null where there are none.
  void (*reseal)(std::string* input) = nullptr;
  // What one allocation may take: so many times the input, and 64 KiB.
  size_t allocation_factor = 4;
};

extern const FuzzTarget kBatchTarget, kDataBlockTarget, kExportTarget, kFilterBlockTarget,
    kFilterFileTarget, kLogTarget, kManifestTarget, kTableTarget;

// In the order of their names.
std::span<const FuzzTarget* const> FuzzTargets();

// Null where there is none of that name.
const FuzzTarget* FindFuzzTarget(std::string_view name);

// One to six changes: bytes set, bits flipped, numbers set to extremes, pieces cut, repeated, moved.
std::string Mutate(std::string input, Random* random);

// A check of a target: always on. Says what did not hold.
void Expect(bool holds, std::string_view what);

}  // namespace siltstone::fuzz
