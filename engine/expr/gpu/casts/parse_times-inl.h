#pragma once

#include "expr/gpu/casts/parse-inl.h"
#include "expr/gpu/dates-inl.h"

/// Casts of text to dates, times and timestamps; the host's casts call the same.
namespace lanewise::kernel {

enum class ParseError : u8 { kNone, kFormat, kRange, kZone };

/// One or two digits.
LANES_FN bool take_two(Text& text, i64& value) {
  if (!is_digit(front(text))) return false;
  value = take_byte(text) - '0';
  if (is_digit(front(text))) value = value * 10 + (take_byte(text) - '0');
  return true;
}
/// Exactly two digits.
LANES_FN bool take_pair(Text& text, i64& value) {
  return text.size >= 2 && is_digit(text.at[0]) && is_digit(text.at[1]) && take_two(text, value);
}

/// "infinity", "inf" or "epoch" and nothing else.
LANES_FN ParseError parse_special(Text text, bool negative, i32& days, Text& rest) {
  if (take_word(text, "infinity") || (text.size == 3 && take_word(text, "inf"))) {
    days = negative ? -highest<i32> : highest<i32>;
  } else if (take_word(text, "epoch")) {
    days = 0;
  } else {
    return ParseError::kFormat;
  }
  rest = skip_spaces(text);
  return rest.size == 0 ? ParseError::kNone : ParseError::kFormat;
}

/// "2024-02-29", "44-03-15 (BC)", "infinity", "epoch". What follows is `rest`; it does not begin with a
/// digit.
LANES_FN ParseError parse_date(Text text, i32& days, Text& rest) {
  text = skip_spaces(text);
  const bool negative = take(text, '-');
  if (text.size == 0) return ParseError::kFormat;
  if (!is_digit(*text.at)) return parse_special(text, negative, days, rest);
  i64 year = 0;
  while (is_digit(front(text))) {
    if (year >= 100'000'000) return ParseError::kRange;
    year = year * 10 + (take_byte(text) - '0');
  }
  if (negative) year = -year;
  if (text.size == 0) return ParseError::kFormat;
  const u8 separator = take_byte(text);
  if (separator != ' ' && separator != '-' && separator != '/' && separator != '\\')
    return ParseError::kFormat;
  i64 month = 0, day = 0;
  if (!take_two(text, month) || !take(text, char(separator)) || !take_two(text, day))
    return ParseError::kFormat;
  if (text.size >= 5 && is_space(*text.at) && starts_with_word(dropped(text, 1), "(bc)")) {
    if (negative || year == 0) return ParseError::kFormat;
    year = 1 - year;
    text = dropped(text, 5);
  }
  if (is_digit(front(text))) return ParseError::kFormat;
  rest = text;
  return make_day(year, month, day, days) ? ParseError::kNone : ParseError::kRange;
}

/// "12:34:56.789"; hours may have up to nine digits. Nanoseconds below a microsecond go to `nanos`.
LANES_FN bool parse_clock(Text text, i64& micros, i32& nanos, Text& rest) {
  text = skip_spaces(text);
  if (!is_digit(front(text))) return false;
  i64 hours = 0, minutes = 0, seconds = 0;
  for (u32 digits = 0; is_digit(front(text));) {
    if (++digits > 9) return false;
    hours = hours * 10 + (take_byte(text) - '0');
  }
  if (!take(text, ':')) return false;
  if (text.size) {
    if (!take_two(text, minutes) || minutes >= 60) return false;
    if (text.size) {
      if (!take(text, ':')) return false;
      if (text.size && (!take_two(text, seconds) || seconds >= 60)) return false;
    }
  }
  i64 fraction = 0;  // in nanoseconds
  if (take(text, '.')) {
    for (i64 unit = 100'000'000; is_digit(front(text)); unit /= 10)
      fraction += (take_byte(text) - '0') * unit;
  }
  micros = ((hours * 60 + minutes) * 60 + seconds) * kMicrosPerSecond + fraction / 1000;
  nanos = i32(fraction % 1000);
  rest = text;
  return true;
}

/// "+HH", "+HH:MM", "+HHMM" or "+HH:MM:SS" in seconds.
LANES_FN bool take_offset(Text& text, i64& seconds) {
  const bool negative = front(text) == '-';
  if (!negative && front(text) != '+') return false;
  Text rest = dropped(text, 1);
  i64 hours = 0, minutes = 0, extra = 0;
  if (!take_pair(rest, hours)) return false;
  const bool colon = take(rest, ':');
  if (take_pair(rest, minutes) && colon && take(rest, ':')) take_pair(rest, extra);
  seconds = hours * 3600 + minutes * 60 + extra;
  if (negative) seconds = -seconds;
  text = rest;
  return true;
}
LANES_FN bool is_in_zone(u8 c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '/' || c == '+' || c == '-';
}

/// A date, or a date and a time with an optional "Z", offset or " UTC". An offset is subtracted if
/// `use_offset`, else ignored. The result is in microseconds, what is left of it in `nanos`.
LANES_FN ParseError parse_timestamp(Text text, bool use_offset, i64& micros, i32& nanos) {
  i32 days = 0;
  Text rest{};
  const ParseError error = parse_date(text, days, rest);
  if (error != ParseError::kNone) return error;
  Outcome outcome;
  nanos = 0;
  i64 time = 0;
  if (rest.size) {
    if (*rest.at == ' ' || *rest.at == 'T') rest = dropped(rest, 1);
    if (!parse_clock(rest, time, nanos, rest)) return ParseError::kFormat;
    if (time > kMicrosPerDay) return ParseError::kRange;
  }
  micros = timestamp_of(outcome, days, time);
  if (outcome.failed) return ParseError::kRange;
  if (rest.size == 0) return ParseError::kNone;
  i64 offset = 0;
  if (take(rest, 'Z')) {
  } else if (take_offset(rest, offset)) {
    if (use_offset && subtract_overflows(micros, offset * kMicrosPerSecond, micros))
      return ParseError::kRange;
  } else {
    if (!take(rest, ' ')) return ParseError::kZone;
    Text zone = rest;
    while (is_in_zone(front(rest))) rest = dropped(rest, 1);
    zone.size -= rest.size;
    if (zone.size && !same_word(zone, "utc")) return ParseError::kZone;
  }
  return is_blank(rest) ? ParseError::kNone : ParseError::kFormat;
}

/// "12:34:56.789", whatever follows, or the time of a timestamp.
LANES_FN bool parse_time(Text text, i64& micros, i32& nanos) {
  Text rest{};
  if (parse_clock(text, micros, nanos, rest)) return micros <= kMicrosPerDay;
  if (parse_timestamp(text, false, micros, nanos) != ParseError::kNone || is_infinite(micros)) return false;
  micros = floor_mod(micros, kMicrosPerDay);
  return true;
}
LANES_FN bool parse_time(Text text, i64& micros) {
  i32 nanos;
  return parse_time(text, micros, nanos);
}

/// What follows the day is ignored, unless it is a digit.
LANES_FN i32 text_to_date(Outcome& outcome, Text text) {
  i32 days = 0;
  Text rest{};
  outcome.failed |= parse_date(text, days, rest) != ParseError::kNone;
  return days;
}
LANES_FN i64 text_to_time(Outcome& outcome, Text text) {
  i64 micros = 0;
  outcome.failed |= !parse_time(text, micros);
  return micros;
}
LANES_FN i64 text_to_timestamp(Outcome& outcome, Text text, i64 per_second, bool use_offset) {
  i64 micros = 0;
  i32 nanos = 0;
  outcome.failed |= parse_timestamp(text, use_offset, micros, nanos) != ParseError::kNone;
  return outcome.failed ? 0 : timestamp_in(outcome, micros, nanos, per_second);
}

}  // namespace lanewise::kernel
