#include "tests/fuzz/allocation_limit.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace siltstone::fuzz {

namespace {

thread_local size_t most_bytes_now = SIZE_MAX;

void* Allocate(size_t size, size_t alignment) {
  if (size > most_bytes_now) {
    std::fprintf(stderr, "one allocation of %zu bytes, at most %zu allowed\n", size,
                 most_bytes_now);
    std::abort();
  }
  const size_t rounded = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
  void* const bytes = std::aligned_alloc(alignment, rounded);
  if (bytes == nullptr) std::abort();
  return bytes;
}

}  // namespace

AllocationLimit::AllocationLimit(size_t most_bytes) { most_bytes_now = most_bytes; }
AllocationLimit::~AllocationLimit() { most_bytes_now = SIZE_MAX; }

}  // namespace siltstone::fuzz

void* operator new(size_t size) {
  return siltstone::fuzz::Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return siltstone::fuzz::Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::align_val_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t, std::align_val_t) noexcept { std::free(bytes); }
