#pragma once

#include "expr/gpu/casts/parse_times-inl.h"
#include "expr/gpu/date_part-inl.h"

/// Casts of text to intervals; the host's casts call the same.
namespace lanewise::kernel {

/// Finds the part that `name` names, in any case. `words` is a line for each word: its part as a letter from
/// 'a' on, then the word.
LANES_FN bool interval_part(Text words, Text name, DatePart& part) {
  for (u64 at = 0; at < words.size;) {
    part = DatePart(words.at[at++] - 'a');
    u64 same = 0;
    while (same < name.size && words.at[at + same] == lowered(name.at[same])) same++;
    if (same == name.size && words.at[at + same] == '\n') return true;
    while (words.at[at++] != '\n') {
    }
  }
  return false;
}

/// target += count * unit + millionths * unit / 10^6; false on overflow.
template <class T>
LANES_FN bool add_units(T& target, i64 count, i64 unit, i64 millionths = 0) {
  i64 amount, sum;
  if (multiply_overflows(count, unit, amount) || add_overflows(i64(target), amount, sum) || sum != T(sum) ||
      add_overflows(sum, millionths * unit / 1'000'000, sum) || sum != T(sum))
    return false;
  target = T(sum);
  return true;
}

/// Adds `count` and a fraction in millionths of a part; fractions go down to the next smaller unit.
LANES_FN bool add_part(Interval& to, DatePart part, i64 count, i64 millionths) {
  constexpr i64 kMillion = 1'000'000;
  switch (part) {
    case DatePart::kMillennium:
      return add_units(to.months, count, 12'000, millionths);
    case DatePart::kCentury:
      return add_units(to.months, count, 1'200, millionths);
    case DatePart::kDecade:
      return add_units(to.months, count, 120, millionths);
    case DatePart::kYear:
      return add_units(to.months, count, 12, millionths);
    case DatePart::kQuarter:
      return add_units(to.months, count, 3, millionths) &&
             add_units(to.days, 0, 30, millionths * 3 % kMillion);
    case DatePart::kMonth:
      return add_units(to.months, count, 1) && add_units(to.days, 0, 30, millionths);
    case DatePart::kWeek:
      return add_units(to.days, count, 7, millionths) &&
             add_units(to.micros, 0, kMicrosPerDay, millionths * 7 % kMillion);
    case DatePart::kDay:
      return add_units(to.days, count, 1) && add_units(to.micros, 0, kMicrosPerDay, millionths);
    case DatePart::kHour:
      return add_units(to.micros, count, kMicrosPerHour, millionths);
    case DatePart::kMinute:
      return add_units(to.micros, count, kMicrosPerMinute, millionths);
    case DatePart::kSecond:
      return add_units(to.micros, count, kMicrosPerSecond, millionths);
    case DatePart::kMillisecond:
      return add_units(to.micros, count, 1'000, millionths);
    case DatePart::kMicrosecond: {
      i64 rounded;
      return !add_overflows(count, millionths * 2 / kMillion, rounded) && add_units(to.micros, rounded, 1);
    }
    default:
      return false;
  }
}

/// "1.5": the whole part and millionths; digits after the sixth are dropped.
LANES_FN bool take_number(Text& text, bool negative, i64& count, i64& millionths) {
  count = 0;
  millionths = 0;
  while (is_digit(front(text))) {
    if (multiply_overflows(count, i64(10), count) || add_overflows(count, i64(take_byte(text) - '0'), count))
      return false;
  }
  if (take(text, '.')) {
    for (i64 unit = 100'000; is_digit(front(text)); unit /= 10) millionths += (take_byte(text) - '0') * unit;
  }
  if (negative) count = -count;
  if (negative) millionths = -millionths;
  return true;
}

LANES_FN Text take_letters(Text& text) {
  Text letters = {text.at, 0};
  for (; is_letter(front(text)); text = dropped(text, 1)) letters.size++;
  return letters;
}

/// "03:04:05.6" at the start of `text`.
LANES_FN bool starts_with_clock(Text text) {
  while (is_digit(front(text))) text = dropped(text, 1);
  return front(text) == ':';
}

LANES_FN void skip_blanks(Text& text) {
  while (front(text) == ' ' || front(text) == '\t' || front(text) == '\n') text = dropped(text, 1);
}

/// "1 year 2 days 03:04:05.6", "@ 3 hours ago", "-5"; `words` as interval_part() takes them. False: it is
/// none.
LANES_FN bool parse_interval(Text text, Text words, Interval& interval) {
  bool any = false;
  take(text, '@');
  for (skip_blanks(text); text.size; skip_blanks(text)) {
    if (lowered(front(text)) == 'a') {
      if (!same_word(take_letters(text), "ago")) return false;
      skip_blanks(text);
      if (text.size || !any) return false;
      return !subtract_overflows(i32(0), interval.months, interval.months) &&
             !subtract_overflows(i32(0), interval.days, interval.days) &&
             !subtract_overflows(i64(0), interval.micros, interval.micros);
    }
    const bool negative = take(text, '-');
    if (!is_digit(front(text))) return false;
    if (starts_with_clock(text)) {
      i64 micros;
      i32 nanos;
      if (!parse_clock(text, micros, nanos, text)) return false;
      if (add_overflows(interval.micros, micros, interval.micros)) return false;
      return !negative || !subtract_overflows(i64(0), interval.micros, interval.micros);
    }
    i64 count, millionths;
    if (!take_number(text, negative, count, millionths)) return false;
    skip_blanks(text);
    const Text word = take_letters(text);
    if (word.size == 0 && !any) {  // bare seconds
      if (!add_units(interval.micros, count, kMicrosPerSecond, millionths)) return false;
      skip_blanks(text);
      return text.size == 0;
    }
    DatePart part;
    if (!interval_part(words, word, part) || !add_part(interval, part, count, millionths)) return false;
    any = true;
  }
  return any;
}

LANES_FN Interval text_to_interval(Outcome& outcome, Text text, Text words) {
  Interval interval{};
  outcome.failed |= !parse_interval(text, words, interval);
  return interval;
}

}  // namespace lanewise::kernel
