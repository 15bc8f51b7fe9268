#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanewise::text::unicode {

constexpr char32_t kMaxCodePoint = 0x10FFFF;

/// True for the bytes 10xxxxxx, which never start a character.
constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Whether a text has no byte above 0x7F.
bool is_ascii(std::string_view text);

struct Decoded {
  char32_t code_point;
  int bytes;  ///< 1..4, or 0 if the text does not start with a well-formed character
};

/// Decodes the first character of `text`; overlong forms, surrogates and values above U+10FFFF are malformed.
Decoded decode(std::string_view text);

/// Writes 1..4 bytes to `out` and returns their number. Surrogates are encoded like other code points.
int encode(char32_t c, char* out);
std::string encode(char32_t c);

}  // namespace lanewise::text::unicode
