#include "data/format.h"
#include "expr/casts/characters.h"
#include "expr/casts/parse.h"
#include "expr/dates/calendar.h"

namespace lanewise::expr {

namespace {

/// One or two digits.
bool take_two(std::string_view& text, int& value) {
  if (text.empty() || !is_digit(text.front())) return false;
  value = 0;
  for (int i = 0; i < 2 && !text.empty() && is_digit(text.front()); ++i) {
    value = value * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return true;
}

/// Exactly two digits.
bool take_pair(std::string_view& text, int& value) {
  if (text.size() < 2 || !is_digit(text[0]) || !is_digit(text[1])) return false;
  value = (text[0] - '0') * 10 + (text[1] - '0');
  text.remove_prefix(2);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes a word in any case.
bool take_word(std::string_view& text, std::string_view lower) {
  if (!same_word(text.substr(0, lower.size()), lower)) return false;
  text.remove_prefix(lower.size());
  return true;
}

/// "infinity", "inf" or "epoch" and nothing else.
ParseError parse_special(std::string_view text, bool negative, int32_t& days, std::string_view& rest) {
  if (take_word(text, "infinity") || (text.size() == 3 && take_word(text, "inf"))) {
    days = negative ? format::kDateNegativeInfinity : format::kDateInfinity;
  } else if (take_word(text, "epoch")) {
    days = 0;
  } else {
    return ParseError::kFormat;
  }
  text = skip_spaces(text);
  rest = text;
  return text.empty() ? ParseError::kNone : ParseError::kFormat;
}

/// "+HH", "+HH:MM", "+HHMM" or "+HH:MM:SS" in seconds.
bool take_offset(std::string_view& text, int& seconds) {
  std::string_view rest = text;
  if (rest.empty() || (rest.front() != '+' && rest.front() != '-')) return false;
  const int sign = rest.front() == '-' ? -1 : 1;
  rest.remove_prefix(1);
  int hours = 0;
  int minutes = 0;
  int extra = 0;
  if (!take_pair(rest, hours)) return false;
  const bool colon = take(rest, ':');
  if (take_pair(rest, minutes) && colon && take(rest, ':')) take_pair(rest, extra);
  seconds = sign * (hours * 3600 + minutes * 60 + extra);
  text = rest;
  return true;
}

}  // namespace

ParseError parse_date(std::string_view text, int32_t& days, std::string_view& rest) {
  text = skip_spaces(text);
  const bool negative = take(text, '-');
  if (text.empty()) return ParseError::kFormat;
  if (!is_digit(text.front())) return parse_special(text, negative, days, rest);
  int64_t year = 0;
  while (!text.empty() && is_digit(text.front())) {
    if (year >= 100'000'000) return ParseError::kRange;
    year = year * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  if (negative) year = -year;
  if (text.empty()) return ParseError::kFormat;
  const char separator = text.front();
  if (separator != ' ' && separator != '-' && separator != '/' && separator != '\\')
    return ParseError::kFormat;
  text.remove_prefix(1);
  int month = 0;
  int day = 0;
  if (!take_two(text, month) || !take(text, separator) || !take_two(text, day)) return ParseError::kFormat;
  if (text.size() >= 5 && is_space(text[0]) && same_word(text.substr(1, 4), "(bc)")) {
    if (negative || year == 0) return ParseError::kFormat;
    year = 1 - year;
    text.remove_prefix(5);
  }
  if (!text.empty() && is_digit(text.front())) return ParseError::kFormat;
  rest = text;
  const std::optional<int32_t> date = make_date(year, month, day);
  if (!date) return ParseError::kRange;
  days = *date;
  return ParseError::kNone;
}

bool parse_clock(std::string_view text, int64_t& micros, int32_t& nanos, std::string_view& rest) {
  text = skip_spaces(text);
  if (text.empty() || !is_digit(text.front())) return false;
  int64_t hours = 0;
  int digits = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    if (++digits > 9) return false;
    hours = hours * 10 + (text.front() - '0');
  }
  int minutes = 0;
  int seconds = 0;
  if (!take(text, ':')) return false;
  if (!text.empty()) {
    if (!take_two(text, minutes) || minutes >= 60) return false;
    if (!text.empty()) {
      if (!take(text, ':')) return false;
      if (!text.empty() && (!take_two(text, seconds) || seconds >= 60)) return false;
    }
  }
  int64_t fraction = 0;  // in nanoseconds
  if (take(text, '.')) {
    int64_t unit = 100'000'000;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), unit /= 10)
      fraction += (text.front() - '0') * unit;
  }
  micros = ((hours * 60 + minutes) * 60 + seconds) * kMicrosPerSecond + fraction / 1000;
  nanos = static_cast<int32_t>(fraction % 1000);
  rest = text;
  return true;
}

std::optional<int64_t> parse_time(std::string_view text) {
  int64_t micros;
  int32_t nanos;
  std::string_view rest;
  if (parse_clock(text, micros, nanos, rest)) {
    if (micros > kMicrosPerDay || !skip_spaces(rest).empty()) return std::nullopt;
    return micros;
  }
  if (parse_timestamp(text, false, micros, nanos) != ParseError::kNone || !is_finite(micros))
    return std::nullopt;
  return floor_mod(micros, kMicrosPerDay);
}

ParseError parse_timestamp(std::string_view text, bool use_offset, int64_t& micros, int32_t& nanos) {
  int32_t days;
  std::string_view rest;
  const ParseError error = parse_date(text, days, rest);
  if (error != ParseError::kNone) return error;
  nanos = 0;
  if (rest.empty()) {
    const std::optional<int64_t> midnight = timestamp_of(days, 0);
    if (!midnight) return ParseError::kRange;
    micros = *midnight;
    return ParseError::kNone;
  }
  if (rest.front() == ' ' || rest.front() == 'T') rest.remove_prefix(1);
  int64_t time;
  if (!parse_clock(rest, time, nanos, rest)) return ParseError::kFormat;
  if (time > kMicrosPerDay) return ParseError::kRange;
  const std::optional<int64_t> local = timestamp_of(days, time);
  if (!local) return ParseError::kRange;
  micros = *local;
  if (rest.empty()) return ParseError::kNone;
  int offset = 0;
  if (take(rest, 'Z')) {
  } else if (take_offset(rest, offset)) {
    if (use_offset && __builtin_sub_overflow(micros, offset * kMicrosPerSecond, &micros))
      return ParseError::kRange;
  } else {
    if (!take(rest, ' ')) return ParseError::kZone;
    std::string_view zone = rest;
    while (!rest.empty() && (is_letter(rest.front()) || is_digit(rest.front()) || rest.front() == '_' ||
                             rest.front() == '/' || rest.front() == '+' || rest.front() == '-')) {
      rest.remove_prefix(1);
    }
    zone.remove_suffix(rest.size());
    if (!zone.empty() && !same_word(zone, "utc")) return ParseError::kZone;
  }
  return skip_spaces(rest).empty() ? ParseError::kNone : ParseError::kFormat;
}

}  // namespace lanewise::expr
