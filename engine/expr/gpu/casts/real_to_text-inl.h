#pragma once

#include "expr/gpu/casts/powers-inl.h"
#include "expr/gpu/casts/to_text-inl.h"

/// Casts of floats to text: the shortest digits that read back as the same value, as data/format.h writes
/// them.
namespace lanewise::kernel {

/// digits * 10^exponent.
struct Decimal {
  u64 digits;
  i32 exponent;
};

/// factor * power / 2^128; what is lost makes it odd.
LANES_FN u64 odd_product(u128 power, u64 factor) {
  const u128 product = u128(u64(power >> 64)) * factor + u64(u128(u64(power)) * factor >> 64);
  return u64(product >> 64) | (u64(product) > 1);
}

/// The decimal of the fewest digits between the middles to the next values, of such the nearest one. Of
/// fraction * 2^exponent, where `closer`: the next smaller value is half as far as the next larger one.
/// After R. Giulietti, "The Schubfach way to render doubles".
LANEWISE_CALLED Decimal shortest_decimal(u64 fraction, i32 exponent, bool closer) {
  const u64 odd = fraction % 2;
  const i32 place =
      (exponent * 1262611 - (closer ? 524031 : 0)) >> 22;  // log10 of what is between, rounded down
  const u128 power = power_of_five(-place) + (place > 0 || place < -55);  // rounded up
  const i32 shift = exponent + log_of_power(-place) + 1;
  // Four times the value and its bounds in units of 10^place.
  const u64 value = odd_product(power, fraction * 4 << shift);
  const u64 low = odd_product(power, (fraction * 4 - 2 + closer) << shift) + odd;
  const u64 high = odd_product(power, (fraction * 4 + 2) << shift) - odd;
  const u64 tens = value / 40, ones = value / 4;
  if (ones >= 10) {
    const bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;
    if (below != above) return {tens + above, place + 1};
  }
  const bool below = low <= 4 * ones, above = 4 * ones + 4 <= high;
  if (below != above) return {ones + above, place};
  const u64 middle = 4 * ones + 2;
  return {ones + (value > middle || (value == middle && ones % 2 == 1)), place};
}
template <class T>
LANES_FN Decimal shortest_decimal(T value) {
  constexpr u32 kBits = sizeof(T) == 4 ? 23 : 52;
  constexpr i32 kBias = (sizeof(T) == 4 ? 127 : 1023) + i32(kBits);
  const u64 bits = bits_of(value), fraction = bits & ((u64(1) << kBits) - 1);
  const i32 exponent = i32(bits >> kBits) & (sizeof(T) == 4 ? 0xff : 0x7ff);
  Decimal result =
      exponent ? shortest_decimal(fraction | u64(1) << kBits, exponent - kBias, fraction == 0 && exponent > 1)
               : shortest_decimal(fraction, 1 - kBias, false);
  for (; result.digits % 10 == 0; ++result.exponent) result.digits /= 10;
  return result;
}

LANES_FN u64 odd_part(u64 value) {
  while (value && value % 2 == 0) value /= 2;
  return value;
}
/// Whether digits * 10^exponent, which is near to `value`, is exactly it. `value` has at most 25 significant
/// bits.
LANEWISE_CALLED bool is_exactly(f64 value, u64 digits, i32 exponent) {
  if (digits == 0 || exponent > 10 || exponent < -14) return false;  // 5^11 and 10^10 / 5^14 are out of reach
  u64 power = 1;
  for (i32 i = exponent < 0 ? -exponent : exponent; i > 0; i--) power *= 5;
  const u64 fraction = (bits_of(value) & ((u64(1) << 52) - 1)) | u64(1) << 52;
  return odd_part(digits) * (exponent > 0 ? power : 1) == odd_part(fraction) * (exponent < 0 ? power : 1);
}
/// Whether one decimal of the fewest digits is nearest to a positive value, and nearer to it than to the next
/// floats.
LANES_FN bool is_clear(f32 value, Decimal decimal) {
  const u64 digits = decimal.digits;
  const i32 exponent = decimal.exponent;
  if (is_exactly(value, digits * 10 + 5, exponent - 1) || is_exactly(value, digits * 10 - 5, exponent - 1))
    return false;
  for (i32 step = -1; step <= 1; step += 2) {
    const f64 border = (f64(value) + reinterpreted<f32>(u32(bits_of(value)) + u32(step))) / 2;
    if (is_exactly(border, digits, exponent) || is_exactly(border, digits / 10, exponent + 1) ||
        is_exactly(border, digits / 10 + 1, exponent + 1))
      return false;
  }
  return true;
}
LANES_FN Decimal printed_decimal(f64 value) { return shortest_decimal(value); }
LANES_FN Decimal printed_decimal(f32 value) {
  const Decimal decimal = shortest_decimal(value);
  return is_clear(value, decimal) ? decimal : shortest_decimal(f64(value));
}

/// 1e-4 and more below 1e16 without an exponent.
LANES_FN void put_decimal(Letters& out, Decimal decimal) {
  i32 digits = 1;
  for (u64 rest = decimal.digits / 10; rest; rest /= 10) ++digits;
  const i32 point = digits + decimal.exponent;  // digits before it
  const bool scientific = point < -3 || point > 16;
  const i32 before = scientific ? 1 : point;
  if (before <= 0) out.put("0.");
  for (i32 i = before; i < 0; i++) out.put('0');
  u64 unit = 1;
  for (i32 i = 1; i < digits; i++) unit *= 10;
  for (i32 i = 0; i < digits || i < before; i++) {
    if (i == before && i > 0) out.put('.');
    out.put(char('0' + (i < digits ? decimal.digits / unit % 10 : 0)));
    unit = unit > 1 ? unit / 10 : 1;
  }
  if (!scientific) {
    if (digits <= before) out.put(".0");
    return;
  }
  out.put('e');
  out.put(point > 0 ? '+' : '-');
  out.number(u64(point > 0 ? point - 1 : 1 - point), 2);
}
template <class T>
LANES_FN Text real_to_text(Outcome&, Heap& heap, T value) {
  MadeLetters out(heap, 32);
  if (bits_of(value) >> (sizeof(T) * 8 - 1)) out.put('-');
  const T size = magnitude(value);
  if (size != size) {
    out.put("nan");
  } else if (size - size != 0) {
    out.put("inf");
  } else if (size == 0) {
    out.put("0.0");
  } else {
    put_decimal(out, printed_decimal(size));
  }
  return out.text();
}

}  // namespace lanewise::kernel
