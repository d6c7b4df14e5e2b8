#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace siltstone::tools {

// Bytes written as text and back. All functions are pure; Cost: linear.

// As kvtool writes a field of a TSV line: \\ \t \n \r and \0 stand for backslash, tab, newline, carriage
// return and NUL; every other byte stands for itself.
std::string EscapeField(std::string_view bytes);

// The reverse, which also takes \xNN (two hex digits) and \" . Nothing for any other escape.
std::optional<std::string> UnescapeField(std::string_view text);

// For people: printable UTF-8 as it is, everything else as \t \n \r \0 \xNN, a backslash doubled.
std::string Printable(std::string_view bytes);

// Printable, in double quotes, cut after 60 characters or so; for messages.
std::string Quoted(std::string_view bytes);

std::string ToHex(std::string_view bytes);
// Nothing unless `text` is an even number of hex digits.
std::optional<std::string> FromHex(std::string_view text);

// Well-formed UTF-8: no surrogates, nothing overlong.
bool IsUtf8(std::string_view bytes);

// Length in bytes of the well-formed UTF-8 character that `bytes` begins with; 0: it begins with none.
size_t Utf8CharacterLength(std::string_view bytes);

}  // namespace siltstone::tools
