#include "expr/casts/characters.h"
#include "expr/casts/parse.h"
#include "expr/dates/calendar.h"
#include "expr/dates/date_part.h"

namespace lanewise::expr {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

/// target += count * unit + millionths * unit / 10^6; false on overflow.
template <class T>
bool add(T& target, int64_t count, int64_t unit, int64_t millionths = 0) {
  int64_t amount;
  return !__builtin_mul_overflow(count, unit, &amount) && !__builtin_add_overflow(target, amount, &target) &&
         !__builtin_add_overflow(target, millionths * unit / 1'000'000, &target);
}

/// Adds `count` and a fraction in millionths of a part; fractions go down to the next smaller unit.
bool add_part(Interval& interval, DatePart part, int64_t count, int64_t millionths) {
  constexpr int64_t kMillion = 1'000'000;
  switch (part) {
    case DatePart::kMillennium:
      return add(interval.months, count, 12'000, millionths);
    case DatePart::kCentury:
      return add(interval.months, count, 1'200, millionths);
    case DatePart::kDecade:
      return add(interval.months, count, 120, millionths);
    case DatePart::kYear:
      return add(interval.months, count, 12, millionths);
    case DatePart::kQuarter:
      return add(interval.months, count, 3, millionths) &&
             add(interval.days, 0, 30, millionths * 3 % kMillion);
    case DatePart::kMonth:
      return add(interval.months, count, 1) && add(interval.days, 0, 30, millionths);
    case DatePart::kWeek:
      return add(interval.days, count, 7, millionths) &&
             add(interval.micros, 0, kMicrosPerDay, millionths * 7 % kMillion);
    case DatePart::kDay:
      return add(interval.days, count, 1) && add(interval.micros, 0, kMicrosPerDay, millionths);
    case DatePart::kHour:
      return add(interval.micros, count, kMicrosPerHour, millionths);
    case DatePart::kMinute:
      return add(interval.micros, count, kMicrosPerMinute, millionths);
    case DatePart::kSecond:
      return add(interval.micros, count, kMicrosPerSecond, millionths);
    case DatePart::kMillisecond:
      return add(interval.micros, count, 1'000, millionths);
    case DatePart::kMicrosecond:
      return add(interval.micros, count + millionths * 2 / kMillion, 1);
    default:
      return false;
  }
}

/// "1.5": the whole part and millionths; digits after the sixth are dropped.
bool take_number(std::string_view& text, bool negative, int64_t& count, int64_t& millionths) {
  count = 0;
  millionths = 0;
  while (!text.empty() && is_digit(text.front())) {
    if (__builtin_mul_overflow(count, 10, &count) ||
        __builtin_add_overflow(count, text.front() - '0', &count))
      return false;
    text.remove_prefix(1);
  }
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    int64_t unit = 100'000;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), unit /= 10) {
      millionths += (text.front() - '0') * unit;
    }
  }
  if (negative) count = -count;
  if (negative) millionths = -millionths;
  return true;
}

std::string_view take_letters(std::string_view& text) {
  const std::string_view start = text;
  while (!text.empty() && is_letter(text.front())) text.remove_prefix(1);
  return start.substr(0, start.size() - text.size());
}

/// "03:04:05.6" at the start of `text`.
bool starts_with_clock(std::string_view text) {
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return !text.empty() && text.front() == ':';
}

}  // namespace

std::optional<Interval> parse_interval(std::string_view text) {
  Interval interval;
  bool any = false;
  if (!text.empty() && text.front() == '@') text.remove_prefix(1);
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    if (lowered(text.front()) == 'a') {
      if (!same_word(take_letters(text), "ago")) return std::nullopt;
      skip_blanks(text);
      if (!text.empty() || !any) return std::nullopt;
      return negated(interval);
    }
    const bool negative = text.front() == '-';
    if (negative) text.remove_prefix(1);
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    if (starts_with_clock(text)) {
      int64_t micros;
      int32_t nanos;
      if (!parse_clock(text, micros, nanos, text)) return std::nullopt;
      if (__builtin_add_overflow(interval.micros, micros, &interval.micros)) return std::nullopt;
      if (negative) interval.micros = -interval.micros;
      return interval;
    }
    int64_t count;
    int64_t millionths;
    if (!take_number(text, negative, count, millionths)) return std::nullopt;
    skip_blanks(text);
    const std::string_view word = take_letters(text);
    if (word.empty() && !any) {  // bare seconds
      if (!add(interval.micros, count, kMicrosPerSecond, millionths)) return std::nullopt;
      skip_blanks(text);
      if (!text.empty()) return std::nullopt;
      return interval;
    }
    const std::optional<DatePart> part = parse_date_part(word);
    if (!part || !add_part(interval, *part, count, millionths)) return std::nullopt;
    any = true;
  }
  if (!any) return std::nullopt;
  return interval;
}

}  // namespace lanewise::expr
