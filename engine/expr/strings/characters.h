#pragma once

#include <cstddef>
#include <string_view>

/// Characters (code points) of UTF-8 text, found by their first bytes alone: fast, and defined for malformed
/// text too, in which a stray continuation byte belongs to the character before it.
namespace lanewise::expr {

/// True for the bytes at which a character starts.
constexpr bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

bool is_ascii(std::string_view text);

size_t count_characters(std::string_view text);

/// Start of the character after the one at `at`; text.size() if there is none.
inline size_t next_character(std::string_view text, size_t at) {
  do {
    ++at;
  } while (at < text.size() && !starts_character(text[at]));
  return at;
}

/// Start of the character before `at`; at > 0.
inline size_t previous_character(std::string_view text, size_t at) {
  do {
    --at;
  } while (at > 0 && !starts_character(text[at]));
  return at;
}

/// Start of character `count` (from 0); text.size() if there are no more than `count`.
size_t skip_characters(std::string_view text, size_t count);

/// Start of the last `count` characters; npos if there are fewer than `count`, text.size() for 0.
size_t skip_characters_back(std::string_view text, size_t count);

}  // namespace lanewise::expr
