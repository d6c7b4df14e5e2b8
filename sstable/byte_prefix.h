#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace siltstone {

// How many bytes `a` and `b` have in common at their beginning. Cost: eight bytes a step.
inline size_t CommonPrefixBytes(std::string_view a, std::string_view b) {
  static_assert(std::endian::native == std::endian::little);
  const size_t limit = std::min(a.size(), b.size());
  size_t i = 0;
  for (; i + 8 <= limit; i += 8) {
    uint64_t x, y;
    std::memcpy(&x, a.data() + i, 8);
    std::memcpy(&y, b.data() + i, 8);
    if (x != y) return i + static_cast<size_t>(std::countr_zero(x ^ y)) / 8;
  }
  while (i < limit && a[i] == b[i]) ++i;
  return i;
}

}  // namespace siltstone
