#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace siltstone {

// A random 128-bit name that a table (or a database) keeps for life, under whatever file name. All
// zeroes means "none".
struct TableId {
  uint64_t high = 0;
  uint64_t low = 0;

  // Never zero. Drawn from the system's random device, and told apart from other draws of this
  // process and of this machine even where that device is poor.
  static TableId Random();

  bool is_zero() const { return high == 0 && low == 0; }
  // 32 lower-case hexadecimal digits, `high` first.
  std::string ToHex() const;
  // The way back; false, and nothing written, for anything ToHex does not give.
  static bool FromHex(std::string_view hex, TableId* id);

  bool operator==(const TableId&) const = default;
};

// XXH3, 64 bits, of the bytes.
inline uint64_t Checksum64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// The checksum of a block: of its bytes, of whose it is, and of where it stands, so that a whole
// block from elsewhere fails too. Each step is a bijection of what it takes in: a change of one of
// bytes' hash, id.high, id.low and offset alone always changes the result.
inline uint64_t BlockChecksum(std::string_view bytes, const TableId& id, uint64_t offset) {
  return Remix(Remix(Remix(Checksum64(bytes) ^ id.high) ^ id.low) ^ offset);
}

}  // namespace siltstone
