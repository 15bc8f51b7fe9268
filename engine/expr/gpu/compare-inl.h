#pragma once

#include "expr/gpu/bytes-inl.h"

/// SQL's order of values, as expr/vectors/compare.h has it on the host: NaN equals itself and is above all
/// other numbers, strings compare as bytes.
namespace lanewise::kernel {

template <class T>
LANES_FN bool same_value(T a, T b) {
  if constexpr (is_float<T>) {
    return a == b || (a != a && b != b);
  } else {
    return a == b;
  }
}
template <class T>
LANES_FN bool below(T a, T b) {
  if constexpr (is_float<T>) {
    return a < b || (b != b && a == a);
  } else {
    return a < b;
  }
}

LANES_FN bool same_value(Text a, Text b) { return a.size == b.size && equal_bytes(a.at, b.at, a.size); }
LANES_FN bool below(Text a, Text b) {
  const u64 common = a.size < b.size ? a.size : b.size;
  LANEWISE_ROLLED
  for (u64 i = 0; i < common; i += 8) {
    const u64 x = text_word<false>({a.at, common}, i), y = text_word<false>({b.at, common}, i);
    if (x != y) return x < y;
  }
  return a.size < b.size;
}

/// Intervals compare by months of 30 days, days of 24 hours and the rest.
struct NormalInterval {
  i64 months, days, micros;
};
LANES_FN NormalInterval normalised(Interval value) {
  constexpr i64 kMicrosOfDay = 86'400'000'000, kDaysOfMonth = 30;
  const i64 days = value.days + value.micros / kMicrosOfDay;
  return {value.months + days / kDaysOfMonth, days % kDaysOfMonth, value.micros % kMicrosOfDay};
}
LANES_FN i32 order(Interval a, Interval b) {
  const NormalInterval x = normalised(a), y = normalised(b);
  if (x.months != y.months) return x.months < y.months ? -1 : 1;
  if (x.days != y.days) return x.days < y.days ? -1 : 1;
  return (x.micros > y.micros) - (x.micros < y.micros);
}
/// As greatest() and least() take them: months first, as they are written.
LANES_FN bool below_as_written(Interval a, Interval b) {
  if (a.months != b.months) return a.months < b.months;
  return a.days != b.days ? a.days < b.days : a.micros < b.micros;
}
LANES_FN bool same_value(Interval a, Interval b) { return order(a, b) == 0; }
LANES_FN bool below(Interval a, Interval b) { return order(a, b) < 0; }

template <class T>
LANES_FN bool equal(Outcome&, T a, T b) {
  return same_value(a, b);
}
template <class T>
LANES_FN bool unequal(Outcome&, T a, T b) {
  return !same_value(a, b);
}
template <class T>
LANES_FN bool less(Outcome&, T a, T b) {
  return below(a, b);
}
template <class T>
LANES_FN bool greater(Outcome&, T a, T b) {
  return below(b, a);
}
template <class T>
LANES_FN bool at_most(Outcome&, T a, T b) {
  return !below(b, a);
}
template <class T>
LANES_FN bool at_least(Outcome&, T a, T b) {
  return !below(a, b);
}
LANES_FN bool logical_not(Outcome&, bool a) { return !a; }

/// Bytes of a string.
LANES_FN i64 byte_length(Outcome&, Text text) { return i64(text.size); }
/// Its code points: bytes that continue none.
LANES_FN i64 length(Outcome&, Text text) {
  i64 count = 0;
  for (u64 i = 0; i < text.size; i++) count += (text.at[i] & 0xc0) != 0x80;
  return count;
}

}  // namespace lanewise::kernel
