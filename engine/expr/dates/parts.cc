#include "expr/dates/parts.h"

#include "base/error.h"
#include "expr/dates/calendar.h"

namespace lanewise::expr {

namespace {

[[noreturn]] void unknown_part(std::string_view type, DatePart part) {
  throw UserError("\"" + std::string(type) + "\" units \"" + std::string(word_of(part)) +
                  "\" not recognized");
}

/// Years 1 to 100 are century 1, years 0 to -99 (1 BC to 100 BC) century -1.
int64_t period(int64_t year, int64_t years) { return year > 0 ? (year - 1) / years + 1 : year / years - 1; }

/// The Monday on which the ISO year begins.
int64_t iso_year_start(int64_t year) {
  const int64_t first = format::days_from_civil(year, 1, 1);
  const int before = iso_day_of_week(first) - 1;
  return first - before + (before > 3 ? 7 : 0);
}

/// Microseconds within the minute, hour, ... of a time of day or of an interval's part below a day.
int64_t part_of_clock(DatePart part, int64_t micros) {
  switch (part) {
    case DatePart::kHour:
      return micros / kMicrosPerHour;
    case DatePart::kMinute:
      return micros % kMicrosPerHour / kMicrosPerMinute;
    case DatePart::kSecond:
      return micros % kMicrosPerMinute / kMicrosPerSecond;
    case DatePart::kMillisecond:
      return micros % kMicrosPerMinute / 1000;
    case DatePart::kMicrosecond:
      return micros % kMicrosPerMinute;
    case DatePart::kNanosecond:
      return micros % kMicrosPerMinute * 1000;
    default:
      throw InternalError("not a part of a clock");
  }
}

bool is_clock_part(DatePart part) { return part >= DatePart::kHour && part <= DatePart::kNanosecond; }

}  // namespace

IsoWeek iso_week(int32_t days) {
  int64_t year = civil(days).year;
  if (days < iso_year_start(year)) {
    --year;
  } else if (days >= iso_year_start(year + 1)) {
    ++year;
  }
  return {year, (days - iso_year_start(year)) / 7 + 1};
}

int64_t part_of_date(DatePart part, int32_t days) {
  const auto date = [&] { return civil(days); };
  switch (part) {
    case DatePart::kMillennium:
      return period(date().year, 1000);
    case DatePart::kCentury:
      return period(date().year, 100);
    case DatePart::kDecade:
      return date().year / 10;
    case DatePart::kYear:
      return date().year;
    case DatePart::kQuarter:
      return (date().month - 1) / 3 + 1;
    case DatePart::kMonth:
      return date().month;
    case DatePart::kWeek:
      return iso_week(days).week;
    case DatePart::kDay:
      return date().day;
    case DatePart::kDayOfWeek:
      return iso_day_of_week(days) % 7;
    case DatePart::kIsoDayOfWeek:
      return iso_day_of_week(days);
    case DatePart::kDayOfYear:
      return days - format::days_from_civil(date().year, 1, 1) + 1;
    case DatePart::kIsoYear:
      return iso_week(days).year;
    case DatePart::kYearWeek: {
      const IsoWeek iso = iso_week(days);
      return iso.year * 100 + (iso.year > 0 ? iso.week : -iso.week);
    }
    case DatePart::kEra:
      return date().year > 0 ? 1 : 0;
    case DatePart::kEpoch:
      return int64_t{days} * (kMicrosPerDay / kMicrosPerSecond);
    case DatePart::kJulian:
      return days + int64_t{2440588};
    case DatePart::kTimezone:
    case DatePart::kTimezoneHour:
    case DatePart::kTimezoneMinute:
      unknown_part("date", part);
    default:  // midnight
      return 0;
  }
}

int64_t part_of_time(DatePart part, int64_t micros) {
  if (is_clock_part(part)) return part_of_clock(part, micros);
  switch (part) {
    case DatePart::kEpoch:
      return micros / kMicrosPerSecond;
    case DatePart::kTimezone:
    case DatePart::kTimezoneHour:
    case DatePart::kTimezoneMinute:
      return 0;
    default:
      unknown_part("time", part);
  }
}

int64_t part_of_timestamp(DatePart part, int64_t timestamp) {
  if (is_clock_part(part)) return part_of_clock(part, floor_mod(timestamp, kMicrosPerDay));
  if (part == DatePart::kEpoch) return timestamp / kMicrosPerSecond;
  if (part >= DatePart::kTimezone) return 0;
  return part_of_date(part, date_of(timestamp));
}

int64_t part_of_interval(DatePart part, const Interval& interval) {
  if (is_clock_part(part)) return part_of_clock(part, interval.micros);
  switch (part) {
    case DatePart::kMillennium:
      return interval.months / 12'000;
    case DatePart::kCentury:
      return interval.months / 1'200;
    case DatePart::kDecade:
      return interval.months / 120;
    case DatePart::kYear:
      return interval.months / 12;
    case DatePart::kQuarter:
      return interval.months % 12 / 3 + 1;
    case DatePart::kMonth:
      return interval.months % 12;
    case DatePart::kDay:
      return interval.days;
    case DatePart::kEpoch:
      return static_cast<int64_t>(epoch_of(interval));
    default:
      unknown_part("interval", part);
  }
}

double julian_of(int64_t timestamp) {
  const double time =
      static_cast<double>(floor_mod(timestamp, kMicrosPerDay)) / static_cast<double>(kMicrosPerDay);
  return time + static_cast<double>(part_of_date(DatePart::kJulian, date_of(timestamp)));
}

double epoch_of(int64_t timestamp) {
  return static_cast<double>(timestamp) / static_cast<double>(kMicrosPerSecond);
}

double epoch_of(const Interval& interval) {
  // A year has 365.25 days here, a month 30.
  const int64_t quarter_days = int64_t{interval.months} / 12 * (365 * 4 + 1) +
                               (interval.months % 12 * 30 + int64_t{interval.days}) * 4;
  constexpr int64_t kQuarterDay = 86'400 / 4;
  return static_cast<double>(quarter_days * kQuarterDay) + epoch_of(interval.micros);
}

std::string_view word_of(DatePart part) {
  constexpr std::string_view kWords[] = {
      "millennium", "century",  "decade",        "year",           "quarter",     "month",       "week",
      "day",        "hour",     "minute",        "second",         "millisecond", "microsecond", "nanosecond",
      "dow",        "isodow",   "doy",           "isoyear",        "yearweek",    "era",         "epoch",
      "julian",     "timezone", "timezone_hour", "timezone_minute"};
  return kWords[static_cast<size_t>(part)];
}

std::shared_ptr<const Prepared> prepare_part(std::span<const ExprPtr> args) {
  if (args[0]->kind != Expr::Kind::kLiteral || args[0]->literal.is_null()) return nullptr;
  const std::optional<DatePart> part = parse_date_part(args[0]->literal.text());
  if (!part) throw UserError("extract specifier \"" + args[0]->literal.text() + "\" not recognized");
  auto prepared = std::make_shared<PreparedPart>();
  prepared->part = *part;
  return prepared;
}

DatePart part_in(const Expr& expr, std::string_view word) {
  if (expr.prepared != nullptr) return static_cast<const PreparedPart&>(*expr.prepared).part;
  const std::optional<DatePart> part = parse_date_part(word);
  if (!part) throw UserError("extract specifier \"" + std::string(word) + "\" not recognized");
  return *part;
}

}  // namespace lanewise::expr
