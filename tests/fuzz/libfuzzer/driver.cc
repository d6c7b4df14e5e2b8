#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/fuzz_target.h"

// One target, SILTSTONE_FUZZ_TARGET of the build, as a program for libFuzzer.
//
//   siltstone_fuzz_table -max_total_time=60 CORPUS
//
// With SILTSTONE_FUZZ_SEEDS=DIRECTORY it writes the target's seeds there and ends.

// libFuzzer's own mutation.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

const siltstone::fuzz::FuzzTarget& Target() {
  static const siltstone::fuzz::FuzzTarget* const target =
      siltstone::fuzz::FindFuzzTarget(SILTSTONE_FUZZ_TARGET);
  siltstone::fuzz::Expect(target != nullptr, "there is a target of this name");
  return *target;
}

void WriteSeeds(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  int number = 0;
  for (const std::string& seed : Target().make_seeds()) {
    std::ofstream file(directory / ("seed-" + std::to_string(number++)), std::ios::binary);
    file.write(seed.data(), static_cast<std::streamsize>(seed.size()));
    siltstone::fuzz::Expect(file.good(), "a seed is written");
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (const char* directory = std::getenv("SILTSTONE_FUZZ_SEEDS"); directory != nullptr) {
    WriteSeeds(directory);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Target().run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

// Half of the mutations are the project's own; most have their checksums made right.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  siltstone::Random random(seed);
  std::string input;
  if (random.OneIn(2)) {
    size = LLVMFuzzerMutate(data, size, max_size);
    input.assign(reinterpret_cast<const char*>(data), size);
  } else {
    input.assign(reinterpret_cast<const char*>(data), size);
    input = siltstone::fuzz::Mutate(std::move(input), &random);
  }
  if (Target().reseal != nullptr && !random.OneIn(8)) Target().reseal(&input);
  size = std::min(input.size(), max_size);
  std::memcpy(data, input.data(), size);
  return size;
}
