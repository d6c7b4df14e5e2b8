#pragma once

#include <cstdint>

namespace siltstone {

// How many forks lie between the start of the program and this process: tells a child process from the one
// that made an object the child has a copy of.
//
//   const uint64_t made_in = ForkGeneration();   // in the constructor
//   if (ForkGeneration() != made_in) ...         // a child's copy: its threads and its files are the parent's
//
// Exact from the first call on. A child made by a bare system call instead of fork is not counted.
//
// Thread safety: thread-safe. Cost: a load; the first call registers with the system.
uint64_t ForkGeneration();

}  // namespace siltstone
