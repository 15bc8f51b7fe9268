#pragma once

#include "data/kernels/calendar-inl.h"

/// How SQL writes dates, times, intervals, decimals and blobs as text, on hosts and devices.
namespace lanewise::kernel {

/// Writes letters to memory that has room for them; without memory, nothing.
struct Letters {
  u8* const to;
  u64 size = 0;

  LANES_FN explicit Letters(u8* room) : to(room) {}

  LANES_FN void put(char letter) {
    if (to) to[size++] = u8(letter);
  }
  template <u32 kSize>
  LANES_FN void put(const char (&letters)[kSize]) {
    for (u32 i = 0; i + 1 < kSize; i++) put(letters[i]);
  }
  LANES_FN void put(Text text, u64 most = ~u64(0)) {
    for (u64 i = 0; i < text.size && i < most; i++) put(char(text.at[i]));
  }
  /// The last digits of a natural number.
  template <class T>
  LANES_FN void digits(T value, u32 count) {
    if (!to) return;
    u8* const first = to + size;
    size += count;
    if constexpr (sizeof(T) == 16) {
      for (; count > kChunk; value /= kPowerOfChunk) {
        u64 low = u64(value % kPowerOfChunk);
        for (u32 i = 0; i < kChunk; i++, low /= 10) first[--count] = u8('0' + low % 10);
      }
      for (u64 low = u64(value); count > 0; low /= 10) first[--count] = u8('0' + low % 10);
    } else {
      for (; count > 0; value /= 10) first[--count] = u8('0' + value % 10);
    }
  }
  /// With zeros before it up to this many letters.
  template <class T>
  LANES_FN void number(T value, u32 least = 1) {
    if constexpr (is_signed<T>) {
      if (value < 0) {
        put('-');
        return number(-u64(value), least - 1);
      }
      number(u64(value), least);
    } else {
      constexpr u32 kMost = sizeof(T) == 16 ? 39 : sizeof(T) == 8 ? 20 : 10;
      u32 count = 1;
      for (T bound = 10; count < kMost && value >= bound; bound *= 10) ++count;
      digits(value, count < least ? least : count);
    }
  }
  LANES_FN void two(i64 value) {
    if (u64(value) < 100) {
      digits(u32(value), 2);
    } else {
      number(value, 2);
    }
  }
  /// ".123" of 123000 millionths; nothing of 0.
  LANES_FN void fraction(i64 value, u32 count) {
    if (value == 0) return;
    put('.');
    if (value > 0) {
      digits(u32(value), count);
    } else {  // not a valid time
      number(value, count);
    }
    while (to && to[size - 1] == '0') --size;
  }
  LANES_FN void day(i64 days) {
    const Date date = civil(days);
    const u64 year = u64(date.year <= 0 ? 1 - date.year : date.year);
    if (year < 10'000) {
      digits(u32(year), 4);
    } else {
      number(year);
    }
    put('-');
    digits(u32(date.month), 2);
    put('-');
    digits(u32(date.day), 2);
    if (date.year <= 0) put(" (BC)");
  }
  /// Seconds since midnight, and a fraction of this many digits.
  LANES_FN void clock(i64 seconds, i64 rest, u32 count) {
    two(seconds / 3600);
    put(':');
    two(seconds / 60 % 60);
    put(':');
    two(seconds % 60);
    fraction(rest, count);
  }
  LANES_FN void infinity(bool negative) {
    if (negative) put('-');
    put("infinity");
  }

 private:
  static constexpr u32 kChunk = 19;
  static constexpr u64 kPowerOfChunk = 10'000'000'000'000'000'000u;
};

/// The most letters that the functions below write.
inline constexpr u64 kDecimalLetters = 48, kDateLetters = 24, kTimeLetters = 40, kTimestampLetters = 64,
                     kIntervalLetters = 96;

template <class T>
LANES_FN void put_point(Letters& out, T size, T power, u32 scale, bool no_whole) {
  const T before = size / power;
  if (!no_whole) out.number(before);
  if (scale > 0) {
    out.put('.');
    out.digits(T(size - before * power), scale);
  }
}
/// power is 10^scale; `no_whole`: the type has no digits before the point.
template <class T>
LANES_FN void put_decimal(Letters& out, T value, u128 power, u32 scale, bool no_whole) {
  if (value < 0) out.put('-');
  if constexpr (sizeof(T) == 16) {
    const u128 size = value < 0 ? -u128(value) : u128(value);
    put_point(out, size, power, scale, no_whole);
  } else {
    const u64 size = value < 0 ? -u64(value) : u64(value);
    put_point(out, size, u64(power), scale, no_whole);
  }
}
LANES_FN void put_date(Letters& out, i32 days) {
  if (is_infinite(days)) {
    out.infinity(days < 0);
  } else {
    out.day(days);
  }
}
/// Of any unit, whose fraction has this many digits.
LANES_FN void put_time(Letters& out, i64 value, i64 per_second, u32 count) {
  out.clock(value / per_second, value % per_second, count);
}
LANES_FN void put_timestamp(Letters& out, i64 value, i64 per_second, u32 count, bool zoned = false) {
  if (is_infinite(value)) return out.infinity(value < 0);
  const i64 seconds = floor_div(value, per_second);
  const i64 days = floor_div(seconds, 86'400);
  out.day(days);
  out.put(' ');
  out.clock(seconds - days * 86'400, floor_mod(value, per_second), count);
  if (zoned) out.put("+00");
}
template <u32 kSize>
LANES_FN void put_part(Letters& out, u64 start, i64 count, const char (&unit)[kSize]) {
  if (count == 0) return;
  if (out.size != start) out.put(' ');
  out.number(count);
  out.put(' ');
  out.put(unit);
  if (count != 1 && count != -1) out.put('s');
}
LANES_FN void put_interval(Letters& out, Interval value) {
  const u64 start = out.size;
  put_part(out, start, value.months / 12, "year");
  put_part(out, start, value.months % 12, "month");
  put_part(out, start, value.days, "day");
  if (value.micros == 0 && out.size != start) return;
  if (out.size != start) out.put(' ');
  if (value.micros < 0) out.put('-');
  const u64 micros = value.micros < 0 ? -u64(value.micros) : u64(value.micros);
  out.clock(i64(micros / u64(kMicrosPerSecond)), i64(micros % u64(kMicrosPerSecond)), 6);
}

LANES_FN u8 hex_digit(u32 value) { return u8(value < 10 ? '0' + value : 'A' + value - 10); }
/// Printable ASCII as it is but for the backslash and quotes, other bytes as \xHH.
LANES_FN bool is_printed(u8 byte) {
  return byte >= ' ' && byte <= '~' && byte != '\\' && byte != '\'' && byte != '"';
}
LANES_FN u64 letters_of_blob(Text blob) {
  u64 letters = 0;
  for (u64 i = 0; i < blob.size; i++) letters += is_printed(blob.at[i]) ? 1 : 4;
  return letters;
}
LANES_FN void put_blob(Letters& out, Text blob) {
  for (u64 i = 0; i < blob.size; i++) {
    const u8 byte = blob.at[i];
    if (is_printed(byte)) {
      out.put(char(byte));
    } else {
      out.put("\\x");
      out.put(char(hex_digit(byte >> 4)));
      out.put(char(hex_digit(byte & 15)));
    }
  }
}

}  // namespace lanewise::kernel
