#include "tools/bytes_text.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/test_seed.h"

namespace siltstone::tools {
namespace {

std::string AllBytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(BytesText, EveryByteSurvivesFieldEscapes) {
  EXPECT_EQ(UnescapeField(EscapeField(AllBytes())), AllBytes());
  EXPECT_EQ(EscapeField(AllBytes()).find_first_of("\t\n\r"), std::string::npos);
  EXPECT_EQ(EscapeField(std::string("a\0b\tc\\", 6)), "a\\0b\\tc\\\\");
}

TEST(BytesText, HexEscapesAreReadInFields) {
  EXPECT_EQ(UnescapeField("\\x41\\xfF"), "A\xff");
  for (const char* bad : {"\\", "\\x", "\\x4", "\\xg0", "\\q", "a\\"}) {
    EXPECT_EQ(UnescapeField(bad), std::nullopt) << bad;
  }
}

TEST(BytesText, HexTakesPairsOfDigitsOnly) {
  EXPECT_EQ(FromHex(ToHex(AllBytes())), AllBytes());
  EXPECT_EQ(FromHex(""), "");
  for (const char* bad : {"0", "0g", "0x", " 0", "+1"})
    EXPECT_EQ(FromHex(bad), std::nullopt) << bad;
}

TEST(BytesText, Utf8IsToldFromWhatOnlyLooksLikeIt) {
  for (const char* good :
       {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(IsUtf8(bad)) << ToHex(bad);
  }
}

TEST(BytesText, PrintableTextIsUtf8WithoutControls) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 200; ++i) {
    std::string bytes;
    for (int j = 0; j < 20; ++j) bytes += static_cast<char>(random());
    const std::string text = Printable(bytes);
    EXPECT_TRUE(IsUtf8(text));
    for (const char c : text) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  }
  EXPECT_EQ(Printable("\x1b[31m\xC2\x9B\xC3\xA9"), "\\x1b[31m\\xc2\\x9b\xC3\xA9");
}

TEST(BytesText, LongBytesAreCutInMessages) {
  EXPECT_EQ(Quoted("k"), "\"k\"");
  EXPECT_EQ(Quoted(std::string(100, 'a')), "\"" + std::string(60, 'a') + "\"... (100 bytes)");
}

}  // namespace
}  // namespace siltstone::tools
