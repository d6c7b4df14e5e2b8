#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace siltstone {

// The seed of a random test: SILTSTONE_TEST_SEED, or the test's own. Printed, so that a failure can be
// repeated.
inline uint64_t TestSeed(uint64_t default_seed = 1) {
  const char* text = std::getenv("SILTSTONE_TEST_SEED");
  const uint64_t seed = text == nullptr ? default_seed : std::stoull(text);
  std::cout << "SILTSTONE_TEST_SEED=" << seed << std::endl;
  return seed;
}

}  // namespace siltstone
