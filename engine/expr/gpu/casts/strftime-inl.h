#pragma once

#include "expr/gpu/casts/to_text-inl.h"

/// strftime(): a format is a list of types, of which each writes what one directive stands for.
namespace lanewise::kernel {

/// What is printed: a moment, and its nanoseconds below a microsecond.
struct Instant : Moment {
  i64 nanos;
};

// The directives that are not plain parts.
LANES_FN i64 year_of_century(Moment at) {
  const i64 year = civil(at.days).year;
  return (year < 0 ? -year : year) % 100;
}
LANES_FN i64 hour_of_twelve(Moment at) { return (hour(at) + 11) % 12 + 1; }
LANES_FN i64 fraction_in_nanos(Instant at) { return at.micros % kMicrosPerSecond * 1000 + at.nanos; }
LANES_FN i64 fraction_in_micros(Instant at) { return at.micros % kMicrosPerSecond; }
LANES_FN i64 fraction_in_millis(Instant at) { return at.micros % kMicrosPerSecond / 1000; }
/// Weeks of the year that begin on Sunday or Monday; days before the first one are in week 0.
template <bool kMonday>
LANES_FN i64 week_of_year(Moment at) {
  const i64 first = day_number(civil(at.days).year, 1, 1), day = iso_day_of_week(first);
  const i64 start = first + (kMonday ? (8 - day) % 7 : 7 - day);
  return at.days < start ? 0 : (at.days - start) / 7 + 1;
}

template <LiteralWords kText, u32 kSize>
struct Said {
  static constexpr u64 kMost = kSize;
  static LANES_FN void put(Letters& out, const Instant&) { out.put(Literal<kText>::text(kSize)); }
};
/// A part with zeros before it up to this many digits.
template <auto part, u32 kDigits>
struct Numbered {
  static constexpr u64 kMost = 9;
  static LANES_FN void put(Letters& out, const Instant& at) { out.number(u64(part(at)), kDigits); }
};
template <auto part>
struct YearOf {
  static constexpr u64 kMost = 9;
  static LANES_FN void put(Letters& out, const Instant& at) {
    const i64 year = part(at);
    out.number(year, year < 0 ? 1 : 4);
  }
};
/// The first letters of a name.
template <u64 kLetters>
struct DayName {
  static constexpr u64 kMost = kLetters;
  static LANES_FN void put(Letters& out, const Instant& at) {
    Outcome outcome;
    out.put(day_name(outcome, i32(at.days)), kLetters);
  }
};
template <u64 kLetters>
struct MonthName {
  static constexpr u64 kMost = kLetters;
  static LANES_FN void put(Letters& out, const Instant& at) {
    Outcome outcome;
    out.put(month_name(outcome, i32(at.days)), kLetters);
  }
};
struct HalfOfDay {
  static constexpr u64 kMost = 2;
  static LANES_FN void put(Letters& out, const Instant& at) {
    out.put(hour(at) < 12 ? 'A' : 'P');
    out.put('M');
  }
};

template <class... Directives>
LANES_FN Text printed(Heap& heap, const Instant& at) {
  MadeLetters out(heap, (u64(0) + ... + Directives::kMost));
  (Directives::put(out, at), ...);
  return out.text();
}
template <class... Directives>
LANES_FN Text printed_date(Outcome& outcome, Heap& heap, i32 days) {
  return is_infinite(days) ? date_to_text(outcome, heap, days) : printed<Directives...>(heap, {{days, 0}, 0});
}
template <class... Directives>
LANES_FN Text printed_timestamp(Outcome& outcome, Heap& heap, i64 micros) {
  if (is_infinite(micros)) return date_to_text(outcome, heap, date_of(micros));
  return printed<Directives...>(heap, {moment_of(micros), 0});
}
template <class... Directives>
LANES_FN Text printed_nanos(Outcome& outcome, Heap& heap, i64 nanos) {
  if (is_infinite(nanos)) return date_to_text(outcome, heap, date_of(nanos));
  return printed<Directives...>(heap, {moment_of(floor_div(nanos, 1000)), floor_mod(nanos, 1000)});
}

}  // namespace lanewise::kernel
