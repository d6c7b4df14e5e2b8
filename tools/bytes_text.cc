#include "tools/bytes_text.h"

#include <cstdint>

namespace siltstone::tools {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The letter of the short escape of `c`; 0 when it has none.
char ShortEscape(char c) {
  switch (c) {
    case '\\':
      return '\\';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\0':
      return '0';
    default:
      return 0;
  }
}

void AppendHexEscape(char c, std::string* out) {
  const auto byte = static_cast<uint8_t>(c);
  *out += "\\x";
  *out += kHexDigits[byte >> 4];
  *out += kHexDigits[byte & 15];
}

// The byte that the escape letter `c` stands for; -1 when there is no such escape.
int UnescapeLetter(char c) {
  switch (c) {
    case '\\':
    case '"':
      return c;
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case '0':
      return 0;
    default:
      return -1;
  }
}

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

}  // namespace

std::string EscapeField(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const char letter = ShortEscape(c);
    if (letter != 0) text += '\\';
    text += letter != 0 ? letter : c;
  }
  return text;
}

std::optional<std::string> UnescapeField(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (text[i] == 'x') {
      if (text.size() - i < 3) return std::nullopt;
      const std::optional<std::string> byte = FromHex(text.substr(i + 1, 2));
      if (!byte) return std::nullopt;
      bytes += *byte;
      i += 2;
      continue;
    }
    const int byte = UnescapeLetter(text[i]);
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string Printable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = Utf8CharacterLength(bytes);
    const char c = bytes[0];
    const bool is_control = static_cast<uint8_t>(c) < 0x20 || c == 0x7F ||
                            (length == 2 && c == '\xC2' && static_cast<uint8_t>(bytes[1]) < 0xA0);
    if (length > 0 && !is_control && c != '\\') {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
      continue;
    }
    if (const char letter = ShortEscape(c); letter != 0) {
      text += '\\';
      text += letter;
    } else {
      AppendHexEscape(c, &text);
    }
    bytes.remove_prefix(1);
  }
  return text;
}

std::string Quoted(std::string_view bytes) {
  constexpr size_t kLongest = 60;
  const std::string_view shown = bytes.substr(0, kLongest);
  std::string text = "\"" + Printable(shown) + "\"";
  if (shown.size() < bytes.size()) text += "... (" + std::to_string(bytes.size()) + " bytes)";
  return text;
}

std::string ToHex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += kHexDigits[static_cast<uint8_t>(c) >> 4];
    text += kHexDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

std::optional<std::string> FromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexValue(text[i]);
    const int low = HexValue(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

size_t Utf8CharacterLength(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<uint8_t>(bytes[0]);
  if (first < 0x80) return 1;
  // The least second byte excludes overlong forms, the greatest one surrogates and what is above U+10FFFF.
  size_t length = 0;
  uint8_t least = 0x80;
  uint8_t greatest = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) least = 0xA0;
    if (first == 0xED) greatest = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) least = 0x90;
    if (first == 0xF4) greatest = 0x8F;
  }
  if (length == 0 || bytes.size() < length) return 0;
  const auto second = static_cast<uint8_t>(bytes[1]);
  if (second < least || second > greatest) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!IsContinuation(bytes[i])) return 0;
  }
  return length;
}

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = Utf8CharacterLength(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace siltstone::tools
