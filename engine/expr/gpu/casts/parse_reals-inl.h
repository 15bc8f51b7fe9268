#pragma once

#include "expr/gpu/casts/parse_numbers-inl.h"
#include "expr/gpu/casts/powers-inl.h"

/// Casts of text to floats: the float that is nearest to what is written, of two the even one.
namespace lanewise::kernel {

/// A whole number of up to 2560 bits.
struct Big {
  u32 words[80];  // the lowest first
  u32 count;

  LANES_FN void multiply(u32 factor) {
    u64 carry = 0;
    for (u32 i = 0; i < count; i++) {
      carry += u64(words[i]) * factor;
      words[i] = u32(carry);
      carry >>= 32;
    }
    if (carry) words[count++] = u32(carry);
  }
  /// Leaves the quotient; the remainder.
  LANES_FN u32 divide(u32 divisor) {
    u64 rest = 0;
    for (u32 i = count; i > 0; i--) {
      rest = rest << 32 | words[i - 1];
      words[i - 1] = u32(rest / divisor);
      rest %= divisor;
    }
    while (count && words[count - 1] == 0) --count;
    return u32(rest);
  }
};

/// The sign of |numeral| - number * 2^exponent, exactly: digit by digit from the last one, of which the
/// foremost that differs decides.
LANEWISE_CALLED i32 compare_exactly(const Numeral& numeral, u64 number, i32 exponent) {
  constexpr u32 kFive13 = 1'220'703'125, kNineDigits = 1'000'000'000;
  Big big;  // number * 2^exponent = big * 10^place
  big.words[0] = u32(number);
  big.words[1] = u32(number >> 32);
  big.count = big.words[1] ? 2 : 1;
  i64 place = exponent < 0 ? exponent : 0;
  for (; exponent >= 31; exponent -= 31) big.multiply(u32(1) << 31);
  if (exponent > 0) big.multiply(u32(1) << exponent);
  for (; exponent <= -13; exponent += 13) big.multiply(kFive13);
  for (; exponent < 0; ++exponent) big.multiply(5);

  i64 written = numeral.point;  // the place of the digit after the last one
  for (u64 i = 0; i < numeral.digits.size; i++) written -= is_digit(numeral.digits.at[i]);
  const u8* next = numeral.digits.at + numeral.digits.size;
  i32 order = 0;
  u32 nine = 0, left = 0;  // digits of the number, and how many they are
  for (i64 at = written < place ? written : place; at < numeral.point || big.count || left; ++at) {
    u32 a = 0, b = 0;
    if (at >= written && at < numeral.point) {
      do --next;
      while (!is_digit(*next));
      a = *next - '0';
    }
    if (at >= place) {
      if (left == 0) {
        nine = big.divide(kNineDigits);
        left = 9;
      }
      b = nine % 10;
      nine /= 10;
      --left;
    }
    if (a != b) order = a < b ? -1 : 1;
  }
  return order;
}

/// A float's bits after the point, and the exponent of its greatest numbers.
template <class T>
inline constexpr i32 kFractionBits = sizeof(T) == 4 ? 23 : 52;
template <class T>
inline constexpr i32 kGreatestExponent = sizeof(T) == 4 ? 127 : 1023;

/// value / 2^bits to the nearest whole number; of a half, which is detected, upwards. 0 < bits < 129.
LANES_FN u64 without_bits(u128 value, i32 bits, bool& half) {
  const u128 kept = bits < 128 ? value >> bits : 0, rest = bits < 128 ? value - (kept << bits) : value;
  const u128 middle = u128(1) << (bits - 1);
  half = rest == middle;
  return u64(kept) + (rest >= middle);
}

/// The bits of |numeral| as a T. 19 digits times a power of ten of 128 bits determine them in nearly all
/// cases; where half a unit may lie between what they bound, all digits are compared.
template <class T>
LANES_FN u64 nearest_bits(const Numeral& numeral) {
  constexpr i32 kLeast = 1 - kGreatestExponent<T>;
  constexpr u64 kInfinity = u64(kGreatestExponent<T> * 2 + 1) << kFractionBits<T>;
  if (numeral.digits.size == 0 || numeral.point < -330) return 0;
  if (numeral.point > 310) return kInfinity;
  u64 digits = 0;
  Digits rest{numeral.digits};
  for (u32 i = 0; i < 19; i++) digits = digits * 10 + rest.next();
  bool more = false;
  while (rest.rest.size && !more) more = rest.next() != 0;

  // digits * 10^power is between low and high times 2^exponent, and low has its first bit set.
  const i32 power = i32(numeral.point) - 19;
  i32 exponent = log_of_power(power) - 63;
  u128 above = 4;
  if (more) above += u128(1) << 65;
  for (; !(digits >> 63); digits <<= 1, above <<= 1) --exponent;
  const u128 five = power_of_five(power);
  u128 low = u128(digits) * u64(five >> 64) + u64(u128(digits) * u64(five) >> 64);
  for (; !(low >> 127); low <<= 1, above <<= 1) --exponent;
  const u128 high = low + above < low ? ~u128(0) : low + above;

  i32 binary = exponent + 127;
  if (binary > kGreatestExponent<T>) return kInfinity;
  const i32 bits = 127 - kFractionBits<T> + (binary < kLeast ? kLeast - binary : 0);
  if (binary < kLeast) binary = kLeast;
  if (bits > 129) return 0;
  bool low_half = true, high_half = true;
  u64 result = 0;
  if (bits < 129) {
    result = without_bits(low, bits, low_half);
    if (without_bits(high, bits, high_half) != result) low_half = true;
  }
  if (low_half || high_half) {
    const u64 kept = bits < 128 ? u64(low >> bits) : 0;
    const i32 order = compare_exactly(numeral, kept * 2 + 1, exponent + bits - 1);
    result = kept + (order > 0 || (order == 0 && kept % 2 == 1));
  }
  result += u64(binary - kLeast) << kFractionBits<T>;
  return result < kInfinity ? result : kInfinity;
}

/// "(abc_1)" after "nan".
LANES_FN Text skip_payload(Text text) {
  if (front(text) != '(') return text;
  for (u64 i = 1; i < text.size; i++) {
    const u8 c = text.at[i];
    if (c == ')') return dropped(text, i + 1);
    const bool between =
        c == '_' && i + 1 < text.size && is_digit(text.at[i - 1]) && is_digit(text.at[i + 1]);
    if (!is_letter(c) && !is_digit(c) && !between) break;
  }
  return text;
}

/// Too large a number is infinite; "inf", "infinity" and "nan" in any case.
template <class T>
LANES_FN bool parse_real(Text text, T& result) {
  text = skip_spaces(text);
  take(text, '+');
  if (text.size == 0 || *text.at == '+' || is_space(*text.at)) return false;
  Text rest = text;
  const bool negative = take(rest, '-');
  u64 bits = 0;
  if (take_word(rest, "inf")) {
    take_word(rest, "inity");
    if (!is_blank(rest)) return false;
    bits = u64(kGreatestExponent<T> * 2 + 1) << kFractionBits<T>;
  } else if (take_word(rest, "nan")) {
    if (!is_blank(skip_payload(rest))) return false;
    bits = (u64(kGreatestExponent<T>) * 4 + 3) << (kFractionBits<T> - 1);
  } else {
    Numeral numeral;
    if (!parse_numeral(text, numeral, kAnyExponent)) return false;
    bits = nearest_bits<T>(numeral);
  }
  bits |= u64(negative) << (sizeof(T) * 8 - 1);
  if constexpr (sizeof(T) == 4) {
    result = reinterpreted<f32>(u32(bits));
  } else {
    result = real(bits);
  }
  return true;
}
template <class T>
LANES_FN T text_to_real(Outcome& outcome, Text text) {
  T result = 0;
  outcome.failed |= !parse_real(text, result);
  return result;
}

}  // namespace lanewise::kernel
