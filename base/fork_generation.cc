#include "base/fork_generation.h"

#include <pthread.h>

#include <atomic>

#include "base/check.h"

namespace siltstone {
namespace {

constinit std::atomic<uint64_t> generation{0};

void CountFork() { generation.fetch_add(1, std::memory_order_relaxed); }

bool Register() {
  SILTSTONE_CHECK(pthread_atfork(nullptr, nullptr, &CountFork) == 0);
  return true;
}

}  // namespace

uint64_t ForkGeneration() {
  [[maybe_unused]] static const bool registered = Register();
  return generation.load(std::memory_order_relaxed);
}

}  // namespace siltstone
