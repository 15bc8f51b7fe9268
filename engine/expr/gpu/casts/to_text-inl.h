#pragma once

#include "data/kernels/print-inl.h"
#include "expr/gpu/dates-inl.h"
#include "expr/gpu/heap-inl.h"

/// Casts to text.
namespace lanewise::kernel {

/// A text of bounded length; empty where there was no room for it.
struct MadeLetters : Letters {
  Heap& heap;

  LANES_FN MadeLetters(Heap& of, u64 most) : Letters(of.reserve(most)), heap(of) {}
  LANES_FN Text text() { return to ? heap.made(size) : Text{}; }
};

LANES_FN Text bool_to_text(Outcome&, Heap&, bool value) {
  return value ? Literal<"true">::text(4) : Literal<"false">::text(5);
}
template <class T>
LANES_FN Text integer_to_text(Outcome&, Heap& heap, T value) {
  MadeLetters out(heap, 40);
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
template <class T>
LANES_FN Text decimal_to_text(Outcome&, Heap& heap, T value, u128 power, u32 scale, bool no_whole) {
  MadeLetters out(heap, kDecimalLetters);
  put_decimal(out, value, power, scale, no_whole);
  return out.text();
}
LANES_FN Text date_to_text(Outcome&, Heap& heap, i32 days) {
  MadeLetters out(heap, kDateLetters);
  put_date(out, days);
  return out.text();
}
LANES_FN Text time_to_text(Outcome&, Heap& heap, i64 micros) {
  MadeLetters out(heap, kTimeLetters);
  put_time(out, micros, kMicrosPerSecond, 6);
  return out.text();
}
template <i64 kPerSecond, u32 kDigits, bool kZoned>
LANES_FN Text timestamp_to_text(Outcome& outcome, Heap& heap, i64 value) {
  MadeLetters out(heap, kTimestampLetters);
  outcome.failed |= !kZoned && !has_text(value, kPerSecond);
  put_timestamp(out, value, kPerSecond, kDigits, kZoned);
  return out.text();
}
LANES_FN Text interval_to_text(Outcome&, Heap& heap, Interval value) {
  MadeLetters out(heap, kIntervalLetters);
  put_interval(out, value);
  return out.text();
}

}  // namespace lanewise::kernel
