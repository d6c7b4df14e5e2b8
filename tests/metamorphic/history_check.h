#pragma once

#include <cstdint>

namespace siltstone {

// Makes histories of `steps` steps and runs each under every option set, until `operations` steps have been taken in
// all. Every transcript must be the model's. The first that is not is shrunk, and reported as a failure of the test
// with seed, option set, and the program that is left. Answers the number of steps taken.
uint64_t CheckHistories(uint64_t seed, uint64_t steps, uint64_t operations);

}  // namespace siltstone
