#include "base/random.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>

namespace siltstone {

uint64_t RandomSeed() {
  static std::atomic<uint64_t> draws{0};
  std::random_device device;
  const uint64_t words[] = {
      uint64_t{device()} << 32 | device(),
      static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()),
      static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()),
      static_cast<uint64_t>(getpid()),
      draws.fetch_add(1, std::memory_order_relaxed),
  };
  return Remix(XXH3_64bits(words, sizeof(words)));
}

}  // namespace siltstone
