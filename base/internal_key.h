#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "siltstone/comparator.h"

// Internal keys: a user key and the trailer that orders its versions.
//
// Format (FORMAT.md, "Internal key"): the user key, then fixed64 trailer = sequence << 8 | type.
// Order: user keys ascending, then trailers descending: the newest version of a key comes first.

namespace siltstone {

using SequenceNumber = uint64_t;
inline constexpr SequenceNumber kMaxSequenceNumber = (uint64_t{1} << 56) - 1;

// On disk: never renumber.
enum class ValueType : uint8_t { kDeletion = 0, kValue = 1 };

inline constexpr size_t kTrailerBytes = 8;
// Sorts before every version of its user key that has the same sequence number or an older one.
inline constexpr uint64_t SeekTrailer(SequenceNumber sequence) { return sequence << 8 | 0xff; }

inline constexpr uint64_t PackTrailer(SequenceNumber sequence, ValueType type) {
  return sequence << 8 | static_cast<uint8_t>(type);
}
inline constexpr SequenceNumber TrailerSequence(uint64_t trailer) { return trailer >> 8; }

inline void AppendInternalKey(std::string* out, std::string_view user_key, uint64_t trailer) {
  static_assert(std::endian::native == std::endian::little);
  out->append(user_key);
  out->append(reinterpret_cast<const char*>(&trailer), sizeof(trailer));
}
inline std::string MakeInternalKey(std::string_view user_key, uint64_t trailer) {
  std::string key;
  key.reserve(user_key.size() + kTrailerBytes);
  AppendInternalKey(&key, user_key, trailer);
  return key;
}

// REQUIRES of both: internal_key.size() >= kTrailerBytes. Bytes from disk are checked with
// IsInternalKey first.
inline std::string_view ExtractUserKey(std::string_view internal_key) {
  return internal_key.substr(0, internal_key.size() - kTrailerBytes);
}
inline uint64_t ExtractTrailer(std::string_view internal_key) {
  uint64_t trailer;
  std::memcpy(&trailer, internal_key.data() + internal_key.size() - kTrailerBytes, kTrailerBytes);
  return trailer;
}
inline bool IsInternalKey(std::string_view bytes) {
  return bytes.size() >= kTrailerBytes && (ExtractTrailer(bytes) & 0xff) <= 1;
}

// The order of a database: its comparator, with byte order inlined. A small value, copied freely.
class KeyOrder {
 public:
  explicit KeyOrder(const Comparator* comparator)
      : comparator_(comparator), bytewise_(comparator == BytewiseComparator()) {}

  int CompareUserKeys(std::string_view a, std::string_view b) const {
    return bytewise_ ? a.compare(b) : comparator_->Compare(a, b);
  }

  // REQUIRES: both are internal keys.
  int CompareInternalKeys(std::string_view a, std::string_view b) const {
    const int order = CompareUserKeys(ExtractUserKey(a), ExtractUserKey(b));
    if (order != 0) return order;
    const uint64_t ta = ExtractTrailer(a), tb = ExtractTrailer(b);
    return ta > tb ? -1 : ta < tb ? 1 : 0;
  }

  // The first eight bytes of a user key as a number that orders as the bytes do (shorter keys padded with
  // zeroes): Prefix(a) < Prefix(b) implies a < b; equal prefixes say nothing. Under a comparator of
  // the user's own every prefix is 0.
  uint64_t Prefix(std::string_view user_key) const {
    if (!bytewise_) return 0;
    uint64_t word = 0;
    if (user_key.size() >= sizeof(word)) {
      std::memcpy(&word, user_key.data(), sizeof(word));  // of constant size: one load
    } else if (!user_key.empty()) {
      std::memcpy(&word, user_key.data(), user_key.size());
    }
    return __builtin_bswap64(word);
  }

  bool bytewise() const { return bytewise_; }
  const Comparator* comparator() const { return comparator_; }

 private:
  const Comparator* comparator_;
  bool bytewise_;
};

}  // namespace siltstone
