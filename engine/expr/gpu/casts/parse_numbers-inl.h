#pragma once

#include "expr/gpu/casts/parse-inl.h"

/// Casts of text to integers, decimals and booleans; the host's casts call the same.
namespace lanewise::kernel {

/// 0.d1 d2 d3 ... * 10^point without leading zeros.
struct Numeral {
  bool negative = false;
  i64 point = 0;
  i64 integer_digits = 0;  ///< as written, before the exponent
  Text digits{};           ///< from the first one that is not zero, with what stands between them
};

/// The digits of a numeral one by one, then zeros.
struct Digits {
  Text rest;
  LANES_FN u32 next() {
    while (rest.size && !is_digit(*rest.at)) rest = dropped(rest, 1);
    return rest.size ? take_byte(rest) - '0' : 0;
  }
};

/// Takes a single underscore that follows a digit; false if no digit follows it.
LANES_FN bool take_underscore(Text& text) { return !take(text, '_') || is_digit(front(text)); }

/// Larger exponents are rejected, except of reals: they are infinite or zero.
inline constexpr i64 kLargestExponent = 0x7fff, kAnyExponent = 100'000;

LANES_FN bool take_exponent(Text& text, i64& point, i64 largest) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  if (!is_digit(front(text))) return false;
  i64 exponent = 0;
  while (is_digit(front(text))) {
    exponent = exponent * 10 + (take_byte(text) - '0');
    if (exponent > kAnyExponent) exponent = kAnyExponent;
    if (!take_underscore(text)) return false;
  }
  point += negative ? -exponent : exponent;
  return exponent <= largest;
}

/// Digits with single underscores between them, a point, an exponent; spaces around.
LANES_FN bool parse_numeral(Text text, Numeral& numeral, i64 largest_exponent = kLargestExponent) {
  text = skip_spaces(text);
  numeral.negative = take(text, '-');
  if (!numeral.negative) take(text, '+');
  bool any = false, in_fraction = false;
  const u8* first = nullptr;
  while (text.size) {
    if (!is_digit(*text.at)) {
      if (in_fraction || !take(text, '.')) break;
      in_fraction = true;
      continue;
    }
    if (!first && *text.at != '0') first = text.at;
    if (first && !in_fraction) ++numeral.integer_digits;
    if (!first && in_fraction) --numeral.point;
    any = true;
    text = dropped(text, 1);
    if (!take_underscore(text)) return false;
  }
  if (first) numeral.digits = {first, u64(text.at - first)};
  numeral.point += numeral.integer_digits;
  if (!any) return false;
  if ((take(text, 'e') || take(text, 'E')) && !take_exponent(text, numeral.point, largest_exponent))
    return false;
  return is_blank(text);
}

/// |numeral| * 10^scale, rounded by the next digit; false from 2^128 on.
LANES_FN bool scaled_numeral(const Numeral& numeral, i32 scale, u128& value) {
  constexpr u128 kTenth = ~u128(0) / 10;
  const i64 wanted = numeral.digits.size == 0 ? 0 : numeral.point + scale;  // digits of the result
  value = 0;
  if (wanted > 39) return false;
  if (wanted < 0) return true;
  Digits digits{numeral.digits};
  for (i64 i = 0; i < wanted; i++) {
    const u32 digit = digits.next();
    if (value > kTenth || (value == kTenth && digit > u32(~u128(0) % 10))) return false;
    value = value * 10 + digit;
  }
  value += digits.next() >= 5;
  return value != 0 || wanted < 39;
}

/// "1F" or "11" after "0x" or "0b".
template <class T>
LANES_FN bool parse_radix(Text text, u32 base, T& result) {
  u64 value = 0;
  if (text.size == 0) return false;
  for (u64 i = 0; i < text.size; i++) {
    if (text.at[i] == '_' && i != 0 && text.at[i - 1] != '_' && i + 1 != text.size) continue;
    const u8 c = lowered(text.at[i]);
    const u32 digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : base;
    if (digit >= base || value > ~u64(0) / base) return false;
    value = value * base + digit;
  }
  result = T(value);
  return value <= u64(highest<T>);
}

/// Digits, a fraction and an exponent are allowed: the value is rounded by the first digit after the point.
/// Also "0x1F" and "0b11" for T of up to 64 bits, and "_" between digits.
template <class T>
LANES_FN bool parse_integer(Text text, T& result) {
  text = skip_spaces(text);
  if constexpr (sizeof(T) <= 8) {
    if (text.size > 2 && text.at[0] == '0') {
      if (lowered(text.at[1]) == 'x') return parse_radix(dropped(text, 2), 16, result);
      if (lowered(text.at[1]) == 'b') return parse_radix(dropped(text, 2), 2, result);
    }
  }
  Numeral numeral;
  u128 value;
  if (!parse_numeral(text, numeral) || !scaled_numeral(numeral, 0, value)) return false;
  for (u64 i = 1; !is_signed<T> && numeral.negative && i < text.size; i++) {  // a zero without more is one
    if (text.at[i] != '0') return false;
  }
  result = T(numeral.negative ? -value : value);
  return value <= u128(highest<T>) + (is_signed<T> && numeral.negative ? 1 : 0);
}

/// The unscaled value of a decimal with `scale` digits after the point and `whole` before it, below `limit`;
/// rounded half away from zero.
LANES_FN bool parse_decimal(Text text, i32 whole, i32 scale, i128 limit, i128& result) {
  Numeral numeral;
  u128 value;
  if (!parse_numeral(text, numeral) || numeral.integer_digits > whole) return false;
  if (!scaled_numeral(numeral, scale, value) || value >= u128(limit)) return false;
  result = numeral.negative ? -i128(value) : i128(value);
  return true;
}

/// true, t, yes, y, 1 and false, f, no, n, 0, in any case.
LANES_FN bool parse_boolean(Text text, bool& result) {
  result = same_word(text, "true") || same_word(text, "t") || same_word(text, "yes") ||
           same_word(text, "y") || same_word(text, "1");
  return result || same_word(text, "false") || same_word(text, "f") || same_word(text, "no") ||
         same_word(text, "n") || same_word(text, "0");
}

template <class T>
LANES_FN T text_to_integer(Outcome& outcome, Text text) {
  T result = 0;
  outcome.failed |= !parse_integer(text, result);
  return result;
}
template <class T>
LANES_FN T text_to_decimal(Outcome& outcome, Text text, i32 whole, i32 scale, i128 limit) {
  i128 result = 0;
  outcome.failed |= !parse_decimal(text, whole, scale, limit, result);
  return T(result);
}
LANES_FN bool text_to_bool(Outcome& outcome, Text text) {
  bool result = false;
  outcome.failed |= !parse_boolean(text, result);
  return result;
}

}  // namespace lanewise::kernel
