#pragma once

#include <cstddef>
#include <string_view>

/// Characters (code points) of UTF-8 text, found by their first bytes alone: quick, and defined for malformed
/// text too, in which a stray continuation byte belongs to the character before it.
namespace lanewise::expr {

/// True for the bytes at which a character starts.
constexpr bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

bool is_ascii(std::string_view text);

size_t count_characters(std::string_view text);

/// Where the character after the one at `at` starts; text.size() where it is the last.
inline size_t next_character(std::string_view text, size_t at) {
  do {
    ++at;
  } while (at < text.size() && !starts_character(text[at]));
  return at;
}

/// Where the character before `at` starts; at > 0.
inline size_t previous_character(std::string_view text, size_t at) {
  do {
    --at;
  } while (at > 0 && !starts_character(text[at]));
  return at;
}

/// Where character `count` (from 0) starts; text.size() where there are no more than `count`.
size_t skip_characters(std::string_view text, size_t count);

/// Where the last `count` characters start; npos where there are fewer than `count`, text.size() for 0.
size_t skip_characters_back(std::string_view text, size_t count);

}  // namespace lanewise::expr
