#pragma once

#include <cstddef>
#include <string_view>

/// ASCII only, independent of the locale.
namespace lanewise::expr {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
/// The value of a hexadecimal digit; -1 for other characters.
constexpr int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char low = lowered(c);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/// `text` without its leading spaces.
constexpr std::string_view skip_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

/// Whether `text` equals `lower`, which is in lower case, ignoring case.
constexpr bool same_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (lowered(text[i]) != lower[i]) return false;
  }
  return true;
}

}  // namespace lanewise::expr
