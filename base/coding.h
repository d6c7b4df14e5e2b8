#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// How numbers and strings become bytes, everywhere on disk.
//
//   std::string out;
//   AppendVarint32(&out, 7);
//   AppendLengthPrefixed(&out, "key");
//
//   Decoder decoder(out);
//   uint32_t number;
//   std::string_view key;
//   if (!decoder.Varint32(&number) || !decoder.LengthPrefixed(&key)) return DataLoss...;
//
// Format:
//   fixed32, fixed64   little-endian
//   varint32, varint64 seven bits a byte, lowest first, the high bit set on all bytes but the last;
//   at most
//                      5 and 10 bytes. Each number has one encoding: the shortest. Any other is
//                      malformed.
//   length-prefixed    varint64 length, then that many bytes

namespace siltstone {

static_assert(std::endian::native == std::endian::little, "the formats are written as in memory");

inline constexpr size_t kMaxVarint32Bytes = 5;
inline constexpr size_t kMaxVarint64Bytes = 10;

inline void AppendFixed32(std::string* out, uint32_t value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline void AppendFixed64(std::string* out, uint64_t value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Writes `value` at `out`, which has room for kMaxVarint64Bytes (kMaxVarint32Bytes for a value
// below 2^32); returns the end.
inline char* EncodeVarint64(char* out, uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}
inline size_t VarintLength(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

inline void AppendVarint64(std::string* out, uint64_t value) {
  char buffer[kMaxVarint64Bytes];
  out->append(buffer, static_cast<size_t>(EncodeVarint64(buffer, value) - buffer));
}
inline void AppendVarint32(std::string* out, uint32_t value) { AppendVarint64(out, value); }

inline void AppendLengthPrefixed(std::string* out, std::string_view bytes) {
  AppendVarint64(out, bytes.size());
  out->append(bytes);
}

inline void StoreFixed32(char* out, uint32_t value) { std::memcpy(out, &value, sizeof(value)); }
inline void StoreFixed64(char* out, uint64_t value) { std::memcpy(out, &value, sizeof(value)); }
inline uint32_t LoadFixed32(const char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}
inline uint64_t LoadFixed64(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// Takes values off the front of bytes that may be anything.
//
// Invariants:
//   I1. A method that returns false has consumed nothing and written nothing to its result.
//   I2. No byte outside the given view is read.
// Thread safety: thread-compatible. Views handed out point into the given bytes.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes)
      : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool Fixed8(uint8_t* value) { return Raw(value); }
  bool Fixed32(uint32_t* value) { return Raw(value); }
  bool Fixed64(uint64_t* value) { return Raw(value); }

  bool Varint32(uint32_t* value) {
    const char* start = next_;
    uint64_t wide;
    if (!Varint64(&wide)) return false;
    if (wide > UINT32_MAX) {
      next_ = start;
      return false;
    }
    *value = static_cast<uint32_t>(wide);
    return true;
  }

  bool Varint64(uint64_t* value) {
    if (next_ != end_ && static_cast<unsigned char>(*next_) < 0x80) {
      *value = static_cast<unsigned char>(*next_++);
      return true;
    }
    return LongVarint(value);
  }

  bool Bytes(size_t count, std::string_view* bytes) {
    if (count > remaining()) return false;
    *bytes = {next_, count};
    next_ += count;
    return true;
  }

  bool LengthPrefixed(std::string_view* bytes) {
    const char* start = next_;
    uint64_t length;
    if (!Varint64(&length)) return false;
    if (length > remaining()) {
      next_ = start;
      return false;
    }
    return Bytes(static_cast<size_t>(length), bytes);
  }

  size_t remaining() const { return static_cast<size_t>(end_ - next_); }
  bool empty() const { return next_ == end_; }
  // Bytes consumed so far.
  size_t offset() const { return static_cast<size_t>(next_ - begin_); }

 private:
  template <typename T>
  bool Raw(T* value) {
    if (remaining() < sizeof(T)) return false;
    std::memcpy(value, next_, sizeof(T));
    next_ += sizeof(T);
    return true;
  }

  bool LongVarint(uint64_t* value) {
    uint64_t result = 0;
    const char* p = next_;
    for (int shift = 0; shift < 64 && p != end_; shift += 7) {
      const uint64_t byte = static_cast<unsigned char>(*p++);
      if (shift == 63 && byte > 1) return false;  // more than 64 bits
      result |= (byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (byte == 0 && shift != 0) return false;  // not the shortest
      *value = result;
      next_ = p;
      return true;
    }
    return false;
  }

  const char* begin_;
  const char* next_;
  const char* end_;
};

}  // namespace siltstone
