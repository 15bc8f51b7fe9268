#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "expr/casts/characters.h"
#include "expr/casts/parse.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

/// More digits do not fit any type, and do not decide how it is rounded.
constexpr int kMaxDigits = 80;

/// 0.d1 d2 d3 ... * 10^point without leading zeros.
struct Numeral {
  bool negative = false;
  int count = 0;
  int64_t point = 0;
  int integer_digits = 0;  ///< as written, before the exponent
  std::array<uint8_t, kMaxDigits> digits;

  int digit(int64_t i) const { return i >= 0 && i < count ? digits[static_cast<size_t>(i)] : 0; }
};

/// Takes the digits at the start of `text`, with single underscores between them, and calls f(digit) for
/// each. False for an underscore that no digit follows.
template <class F>
bool take_digits(std::string_view& text, F f) {
  while (!text.empty() && is_digit(text.front())) {
    f(text.front() - '0');
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '_') {
      text.remove_prefix(1);
      if (text.empty() || !is_digit(text.front())) return false;
    }
  }
  return true;
}

std::optional<int> take_exponent(std::string_view& text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  int exponent = 0;
  if (!take_digits(text, [&](int digit) { exponent = std::min(exponent * 10 + digit, 100'000); }))
    return std::nullopt;
  if (exponent > INT16_MAX) return std::nullopt;
  return negative ? -exponent : exponent;
}

std::optional<Numeral> parse_numeral(std::string_view text) {
  Numeral numeral;
  text = skip_spaces(text);
  if (text.empty()) return std::nullopt;
  if (text.front() == '-' || text.front() == '+') {
    numeral.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  bool any = false;
  const auto store = [&](int digit) {
    any = true;
    if (numeral.count == 0 && digit == 0) return false;
    if (numeral.count < kMaxDigits)
      numeral.digits[static_cast<size_t>(numeral.count++)] = static_cast<uint8_t>(digit);
    return true;
  };
  if (!take_digits(text, [&](int digit) { numeral.point += store(digit) ? 1 : 0; })) return std::nullopt;
  numeral.integer_digits = static_cast<int>(std::min<int64_t>(numeral.point, INT32_MAX));
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    const bool sound =
        take_digits(text, [&](int digit) { numeral.point -= store(digit) || numeral.count != 0 ? 0 : 1; });
    if (!sound) return std::nullopt;
  }
  if (!any) return std::nullopt;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    const std::optional<int> exponent = take_exponent(text);
    if (!exponent) return std::nullopt;
    numeral.point += *exponent;
  }
  if (!skip_spaces(text).empty()) return std::nullopt;
  return numeral;
}

/// |numeral| * 10^scale, rounded by the next digit; nothing from 10^39 on.
std::optional<uint128_t> magnitude(const Numeral& numeral, int scale) {
  const int64_t wanted = numeral.count == 0 ? 0 : numeral.point + scale;  // digits of the result
  if (wanted > 39) return std::nullopt;
  uint128_t value = 0;
  for (int64_t i = 0; i < wanted; ++i) {
    const auto digit = static_cast<unsigned>(numeral.digit(i));
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value))
      return std::nullopt;
  }
  if (wanted >= 0 && numeral.digit(wanted) >= 5 && __builtin_add_overflow(value, 1, &value))
    return std::nullopt;
  return value;
}

/// "0x1F" or "0b11", after the prefix.
template <class T>
std::optional<T> parse_radix(std::string_view text, int base) {
  uint64_t value = 0;
  if (text.empty()) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && i != 0 && text[i - 1] != '_' && i + 1 != text.size()) continue;
    const char c = lowered(text[i]);
    const int digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : base;
    if (digit >= base) return std::nullopt;
    if (__builtin_mul_overflow(value, base, &value)) return std::nullopt;
    value += static_cast<uint64_t>(digit);
  }
  if (value > static_cast<uint64_t>(highest<T>())) return std::nullopt;
  return static_cast<T>(value);
}

}  // namespace

template <class T>
std::optional<T> parse_integer(std::string_view text) {
  text = skip_spaces(text);
  if constexpr (sizeof(T) <= 8) {
    if (text.size() > 2 && text[0] == '0') {
      if (lowered(text[1]) == 'x') return parse_radix<T>(text.substr(2), 16);
      if (lowered(text[1]) == 'b') return parse_radix<T>(text.substr(2), 2);
    }
  }
  const std::optional<Numeral> numeral = parse_numeral(text);
  if (!numeral) return std::nullopt;
  if (!is_signed<T> && numeral->negative && text.find_first_not_of('0', 1) != std::string_view::npos)
    return std::nullopt;
  const std::optional<uint128_t> value = magnitude(*numeral, 0);
  if (!value) return std::nullopt;
  const auto limit = static_cast<uint128_t>(highest<T>()) + (is_signed<T> && numeral->negative ? 1 : 0);
  if (*value > limit) return std::nullopt;
  return static_cast<T>(numeral->negative ? -*value : *value);
}

std::optional<int128_t> parse_decimal(std::string_view text, int precision, int scale) {
  const std::optional<Numeral> numeral = parse_numeral(text);
  if (!numeral || numeral->integer_digits > precision - scale) return std::nullopt;
  const std::optional<uint128_t> value = magnitude(*numeral, scale);
  if (!value || *value >= static_cast<uint128_t>(power_of_ten(precision))) return std::nullopt;
  const auto result = static_cast<int128_t>(*value);
  return numeral->negative ? -result : result;
}

template <class T>
std::optional<T> parse_real(std::string_view text) {
  text = skip_spaces(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return std::nullopt;
  std::string without;  // underscores between digits are skipped
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
  const std::string_view parsed = text.substr(0, static_cast<size_t>(end - text.data()));
  if (!skip_spaces(text.substr(parsed.size())).empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool negative = text.front() == '-';
    const std::optional<Numeral> numeral = parse_numeral(parsed);
    const bool large = numeral && numeral->point > 0;
    value = large ? std::numeric_limits<T>::infinity() : T{0};
    if (negative) value = -value;
  }
  return value;
}

std::optional<bool> parse_boolean(std::string_view text) {
  for (const std::string_view word : {"true", "t", "yes", "y", "1"}) {
    if (same_word(text, word)) return true;
  }
  for (const std::string_view word : {"false", "f", "no", "n", "0"}) {
    if (same_word(text, word)) return false;
  }
  return std::nullopt;
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
