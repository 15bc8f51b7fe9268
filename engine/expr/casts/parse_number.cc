#include <charconv>
#include <string>

#include "expr/casts/characters.h"
#include "expr/casts/parse.h"
#include "expr/gpu/casts/parse_numbers-inl.h"
#include "expr/gpu/casts/parse_reals-inl.h"
#include "expr/numbers.h"

namespace lanewise::expr {

template <class T>
std::optional<T> parse_integer(std::string_view text) {
  T value;
  if (!kernel::parse_integer(kernel_text(text), value)) return std::nullopt;
  return value;
}

std::optional<int128_t> parse_decimal(std::string_view text, int precision, int scale) {
  int128_t value;
  const int128_t limit = power_of_ten(precision);
  if (!kernel::parse_decimal(kernel_text(text), precision - scale, scale, limit, value)) return std::nullopt;
  return value;
}

template <class T>
std::optional<T> parse_real(std::string_view text) {
  text = skip_spaces(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return std::nullopt;
  std::string without;  // the text without underscores between digits
  if (text.find('_') != std::string_view::npos) {
    for (size_t i = 0; i < text.size(); ++i) {
      const bool between = i != 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
      if (text[i] == '_' && !between) return std::nullopt;
      if (text[i] != '_') without += text[i];
    }
    text = without;
  }
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (!skip_spaces(text.substr(static_cast<size_t>(end - text.data()))).empty()) return std::nullopt;
  // It does not report whether the value is too large or too small.
  if (error == std::errc::result_out_of_range) kernel::parse_real(kernel_text(text), value);
  return value;
}

std::optional<bool> parse_boolean(std::string_view text) {
  bool value;
  if (!kernel::parse_boolean(kernel_text(text), value)) return std::nullopt;
  return value;
}

template std::optional<int8_t> parse_integer(std::string_view);
template std::optional<int16_t> parse_integer(std::string_view);
template std::optional<int32_t> parse_integer(std::string_view);
template std::optional<int64_t> parse_integer(std::string_view);
template std::optional<int128_t> parse_integer(std::string_view);
template std::optional<uint8_t> parse_integer(std::string_view);
template std::optional<uint16_t> parse_integer(std::string_view);
template std::optional<uint32_t> parse_integer(std::string_view);
template std::optional<uint64_t> parse_integer(std::string_view);
template std::optional<uint128_t> parse_integer(std::string_view);
template std::optional<float> parse_real(std::string_view);
template std::optional<double> parse_real(std::string_view);

}  // namespace lanewise::expr
