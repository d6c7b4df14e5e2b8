#include "base/checksum.h"

#include <charconv>

#include "base/random.h"

namespace siltstone {

TableId TableId::Random() {
  TableId id{RandomSeed(), RandomSeed()};
  if (id.is_zero()) id.low = 1;
  return id;
}

std::string TableId::ToHex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const uint64_t word : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) hex.push_back(kDigits[(word >> shift) & 15]);
  }
  return hex;
}

bool TableId::FromHex(std::string_view hex, TableId* id) {
  if (hex.size() != 32) return false;
  for (const char c : hex) {
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) return false;
  }
  TableId parsed;
  std::from_chars(hex.data(), hex.data() + 16, parsed.high, 16);
  std::from_chars(hex.data() + 16, hex.data() + 32, parsed.low, 16);
  *id = parsed;
  return true;
}

}  // namespace siltstone
