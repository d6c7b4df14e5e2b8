#include "base/coding.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

// A number of any length in bits, each equally likely.
uint64_t RandomNumber(Random& random) { return random.Next() >> random.Uniform(64); }

bool DecodesVarint32(std::string_view bytes) {
  uint32_t value = 77;
  Decoder decoder(bytes);
  const bool decoded = decoder.Varint32(&value);
  if (!decoded) {
    EXPECT_EQ(decoder.offset(), 0u);
    EXPECT_EQ(value, 77u);
  }
  return decoded;
}

bool DecodesVarint64(std::string_view bytes) {
  uint64_t value = 77;
  Decoder decoder(bytes);
  const bool decoded = decoder.Varint64(&value);
  if (!decoded) {
    EXPECT_EQ(decoder.offset(), 0u);
    EXPECT_EQ(value, 77u);
  }
  return decoded;
}

TEST(Coding, FixedNumbersAreLittleEndian) {
  std::string out;
  AppendFixed32(&out, 0x04030201);
  AppendFixed64(&out, 0x0c0b0a0908070605);
  EXPECT_EQ(out, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c");
  EXPECT_EQ(LoadFixed32(out.data()), 0x04030201u);
  EXPECT_EQ(LoadFixed64(out.data() + 4), 0x0c0b0a0908070605u);
  char stored[8];
  StoreFixed32(stored, 0x04030201);
  EXPECT_EQ(LoadFixed32(stored), 0x04030201u);
  StoreFixed64(stored, 0x0c0b0a0908070605);
  EXPECT_EQ(LoadFixed64(stored), 0x0c0b0a0908070605u);
}

TEST(Coding, VarintsHaveTheirKnownBytes) {
  std::string out;
  AppendVarint32(&out, 0);
  AppendVarint32(&out, 127);
  AppendVarint32(&out, 128);
  AppendVarint32(&out, 300);
  EXPECT_EQ(out, std::string("\x00\x7f\x80\x01\xac\x02", 6));
}

TEST(Coding, NumbersAtEveryPowerOfTwoComeBack) {
  std::vector<uint64_t> numbers = {0, std::numeric_limits<uint64_t>::max()};
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t delta : {-1, 0, 1}) numbers.push_back((uint64_t{1} << bit) + delta);
  }
  std::string out;
  for (const uint64_t number : numbers) {
    const size_t before = out.size();
    AppendVarint64(&out, number);
    EXPECT_EQ(out.size() - before, VarintLength(number)) << number;
  }
  Decoder decoder(out);
  for (const uint64_t number : numbers) {
    uint64_t value;
    ASSERT_TRUE(decoder.Varint64(&value));
    EXPECT_EQ(value, number);
  }
  EXPECT_TRUE(decoder.empty());
}

TEST(Coding, MixedValuesComeBackAndEveryCutIsRefused) {
  Random random(TestSeed());
  for (int round = 0; round < 200; ++round) {
    const auto wide = RandomNumber(random);
    const auto narrow = static_cast<uint32_t>(RandomNumber(random));
    const std::string text(random.Uniform(200), 'x');
    std::string out;
    AppendVarint64(&out, wide);
    AppendFixed32(&out, narrow);
    AppendLengthPrefixed(&out, text);
    AppendVarint32(&out, narrow);
    AppendFixed64(&out, wide);
    for (size_t size = 0; size <= out.size(); ++size) {
      Decoder decoder(std::string_view(out).substr(0, size));
      uint64_t wide_varint, wide_fixed;
      uint32_t narrow_fixed, narrow_varint;
      std::string_view bytes;
      const bool decoded = decoder.Varint64(&wide_varint) && decoder.Fixed32(&narrow_fixed) &&
                           decoder.LengthPrefixed(&bytes) && decoder.Varint32(&narrow_varint) &&
                           decoder.Fixed64(&wide_fixed);
      ASSERT_EQ(decoded, size == out.size());
      if (!decoded) continue;
      EXPECT_EQ(wide_varint, wide);
      EXPECT_EQ(wide_fixed, wide);
      EXPECT_EQ(narrow_fixed, narrow);
      EXPECT_EQ(narrow_varint, narrow);
      EXPECT_EQ(bytes, text);
      EXPECT_EQ(decoder.remaining(), 0u);
      EXPECT_EQ(decoder.offset(), out.size());
    }
  }
}

TEST(Decoder, RefusesMalformedVarintsAndConsumesNothing) {
  EXPECT_FALSE(DecodesVarint64(""));
  EXPECT_FALSE(DecodesVarint64("\x80"));
  EXPECT_FALSE(DecodesVarint64(std::string("\x80\x00", 2)));  // zero in two bytes
  EXPECT_FALSE(DecodesVarint64(std::string("\xff\x80\x00", 3)));
  EXPECT_FALSE(DecodesVarint64("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"));  // 65 bits
  EXPECT_FALSE(DecodesVarint64("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01"));
  EXPECT_FALSE(DecodesVarint64(std::string(100, '\xff')));
  EXPECT_TRUE(DecodesVarint64("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));

  EXPECT_TRUE(DecodesVarint32("\xff\xff\xff\xff\x0f"));
  EXPECT_FALSE(DecodesVarint32("\xff\xff\xff\xff\x10"));  // 33 bits
  EXPECT_FALSE(DecodesVarint32("\xff\xff\xff\xff\xff\x01"));
  EXPECT_FALSE(DecodesVarint32("\xff\xff\xff"));
}

TEST(Decoder, AnyBytesThatDecodeAreTheEncodingOfTheirValue) {
  Random random(TestSeed());
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random.Uniform(12), '\0');
    for (char& c : bytes)
      c = static_cast<char>(random.OneIn(3) ? random.Uniform(3) : random.Next());
    Decoder decoder(bytes);
    uint64_t value;
    if (!decoder.Varint64(&value)) continue;
    std::string again;
    AppendVarint64(&again, value);
    ASSERT_EQ(again, bytes.substr(0, decoder.offset()));
  }
}

TEST(Decoder, RefusesLengthsBeyondTheEndAndConsumesNothing) {
  for (const uint64_t length :
       {uint64_t{4}, uint64_t{1} << 32, std::numeric_limits<uint64_t>::max()}) {
    std::string out;
    AppendVarint64(&out, length);
    out += "abc";
    Decoder decoder(out);
    std::string_view bytes = "untouched";
    EXPECT_FALSE(decoder.LengthPrefixed(&bytes));
    EXPECT_EQ(bytes, "untouched");
    EXPECT_EQ(decoder.offset(), 0u);
  }
  Decoder decoder("abc");
  std::string_view bytes;
  EXPECT_FALSE(decoder.Bytes(4, &bytes));
  EXPECT_FALSE(decoder.Bytes(std::numeric_limits<size_t>::max(), &bytes));
  EXPECT_TRUE(decoder.Bytes(3, &bytes));
  EXPECT_EQ(bytes, "abc");
  EXPECT_TRUE(decoder.Bytes(0, &bytes));
  uint8_t byte;
  EXPECT_FALSE(decoder.Fixed8(&byte));
}

TEST(Decoder, TakesAnEmptyView) {
  Decoder decoder(std::string_view{});
  EXPECT_TRUE(decoder.empty());
  std::string_view bytes;
  EXPECT_TRUE(decoder.Bytes(0, &bytes));
  EXPECT_FALSE(decoder.LengthPrefixed(&bytes));
}

}  // namespace
}  // namespace siltstone
