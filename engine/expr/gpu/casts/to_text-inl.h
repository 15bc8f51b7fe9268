#pragma once

#include "expr/gpu/dates-inl.h"
#include "expr/gpu/heap-inl.h"

/// Casts to text, as data/format.h writes values on the host.
namespace lanewise::kernel {

/// Writes a text of bounded length; where there was no room for it, nothing.
struct Letters {
  Heap& heap;
  u8* const to;
  u64 size = 0;

  LANES_FN Letters(Heap& of, u64 most) : heap(of), to(of.reserve(most)) {}
  LANES_FN Text text() { return to ? heap.made(size) : Text{}; }

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
  /// With zeros before it up to this many letters.
  template <class T>
  LANES_FN void number(T value, u32 least = 1) {
    if constexpr (is_signed<T>) {
      if (value < 0) {
        put('-');
        return number(-u64(value), least - 1);
      }
    }
    u32 digits = 1;
    for (T rest = value / 10; rest != 0; rest /= 10) ++digits;
    if (digits < least) digits = least;
    for (u32 i = digits; to && i > 0; value /= 10) to[size + --i] = u8('0' + u32(value % 10));
    if (to) size += digits;
  }
  /// ".123" of 123000 millionths; nothing of 0.
  LANES_FN void fraction(i64 value, u32 digits) {
    if (value == 0) return;
    for (; value % 10 == 0; value /= 10) --digits;
    put('.');
    number(value, digits);
  }
  LANES_FN void day(i64 days) {
    const Date date = civil(days);
    number(u64(date.year <= 0 ? 1 - date.year : date.year), 4);
    put('-');
    number(u64(date.month), 2);
    put('-');
    number(u64(date.day), 2);
    if (date.year <= 0) put(" (BC)");
  }
  LANES_FN void clock(i64 seconds, i64 rest, u32 digits) {
    number(seconds / 3600, 2);
    put(':');
    number(seconds / 60 % 60, 2);
    put(':');
    number(seconds % 60, 2);
    fraction(rest, digits);
  }
  LANES_FN void infinity(bool negative) {
    if (negative) put('-');
    put("infinity");
  }
};

LANES_FN Text bool_to_text(Outcome&, Heap&, bool value) {
  return value ? Literal<"true">::text(4) : Literal<"false">::text(5);
}
template <class T>
LANES_FN Text integer_to_text(Outcome&, Heap& heap, T value) {
  Letters out(heap, 40);
  if constexpr (is_signed<T>) {
    if (value < 0) out.put('-');
  }
  if constexpr (sizeof(T) == 16) {
    out.number(value < 0 ? -u128(value) : u128(value));
  } else {
    out.number(value < 0 ? -u64(value) : u64(value));
  }
  return out.text();
}
/// power is 10^scale; `no_whole`: the type has no digits before the point.
template <class T>
LANES_FN Text decimal_to_text(Outcome&, Heap& heap, T value, u128 power, u32 scale, bool no_whole) {
  Letters out(heap, 48);
  if (value < 0) out.put('-');
  const u128 size = value < 0 ? -u128(value) : u128(value);
  if (!no_whole) out.number(size / power);
  if (scale > 0) {
    out.put('.');
    out.number(size % power, scale);
  }
  return out.text();
}
LANES_FN Text date_to_text(Outcome&, Heap& heap, i32 days) {
  Letters out(heap, 24);
  if (is_infinite(days)) {
    out.infinity(days < 0);
  } else {
    out.day(days);
  }
  return out.text();
}
LANES_FN Text time_to_text(Outcome&, Heap& heap, i64 micros) {
  Letters out(heap, 24);
  out.clock(micros / kMicrosPerSecond, micros % kMicrosPerSecond, 6);
  return out.text();
}
template <i64 kPerSecond, u32 kDigits, bool kZoned>
LANES_FN Text timestamp_to_text(Outcome& outcome, Heap& heap, i64 value) {
  Letters out(heap, 64);
  if (is_infinite(value)) {
    out.infinity(value < 0);
    return out.text();
  }
  outcome.failed |= !kZoned && (value < first_midnight(kPerSecond) || value > last_timestamp(kPerSecond));
  const i64 seconds = floor_div(value, kPerSecond);
  out.day(floor_div(seconds, 86'400));
  out.put(' ');
  out.clock(floor_mod(seconds, 86'400), floor_mod(value, kPerSecond), kDigits);
  if (kZoned) out.put("+00");
  return out.text();
}
LANES_FN void put_part(Letters& out, i64 count, const Text& unit) {
  if (count == 0) return;
  if (out.size) out.put(' ');
  if (count < 0) out.put('-');
  out.number(u64(count < 0 ? -count : count));
  out.put(' ');
  out.put(unit);
  if (count != 1 && count != -1) out.put('s');
}
LANES_FN Text interval_to_text(Outcome&, Heap& heap, Interval value) {
  Letters out(heap, 96);
  put_part(out, value.months / 12, Literal<"year">::text(4));
  put_part(out, value.months % 12, Literal<"month">::text(5));
  put_part(out, value.days, Literal<"day">::text(3));
  if (value.micros == 0 && out.size) return out.text();
  if (out.size) out.put(' ');
  if (value.micros < 0) out.put('-');
  const u64 micros = value.micros < 0 ? -u64(value.micros) : u64(value.micros);
  out.clock(i64(micros / u64(kMicrosPerSecond)), i64(micros % u64(kMicrosPerSecond)), 6);
  return out.text();
}

}  // namespace lanewise::kernel
