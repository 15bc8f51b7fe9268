#include "expr/dates/parts.h"

#include "base/error.h"
#include "expr/dates/calendar.h"
#include "expr/gpu/intervals-inl.h"
#include "expr/vectors/kernel_function.h"

namespace lanewise::expr {

namespace {

[[noreturn]] void unknown_part(std::string_view type, DatePart part) {
  throw UserError("\"" + std::string(type) + "\" units \"" + std::string(word_of(part)) +
                  "\" not recognized");
}

bool is_clock_part(DatePart part) { return part >= DatePart::kHour && part <= DatePart::kNanosecond; }

/// The kernel's functions of the parts that are integers, by their place among all parts.
constexpr kernel::i64 (*kParts[])(kernel::Moment) = {kernel::millennium,
                                                     kernel::century,
                                                     kernel::decade,
                                                     kernel::year,
                                                     kernel::quarter,
                                                     kernel::month,
                                                     kernel::week,
                                                     kernel::day,
                                                     kernel::hour,
                                                     kernel::minute,
                                                     kernel::second,
                                                     kernel::millisecond,
                                                     kernel::microsecond,
                                                     kernel::nanosecond,
                                                     kernel::dow,
                                                     kernel::isodow,
                                                     kernel::doy,
                                                     kernel::isoyear,
                                                     kernel::yearweek,
                                                     kernel::era,
                                                     nullptr,
                                                     nullptr,
                                                     kernel::timezone,
                                                     kernel::timezone_hour,
                                                     kernel::timezone_minute};

int64_t part_at(DatePart part, kernel::Moment at) {
  if (part == DatePart::kEpoch)
    return at.days * (kMicrosPerDay / kMicrosPerSecond) + at.micros / kMicrosPerSecond;
  if (part == DatePart::kJulian) return at.days + kernel::kJulianOfEpoch;
  return kParts[static_cast<size_t>(part)](at);
}

}  // namespace

int64_t part_of_date(DatePart part, int32_t days) {
  if (part >= DatePart::kTimezone) unknown_part("date", part);
  return part_at(part, {days, 0});
}

int64_t part_of_time(DatePart part, int64_t micros) {
  if (!is_clock_part(part) && part != DatePart::kEpoch && part < DatePart::kTimezone)
    unknown_part("time", part);
  return part_at(part, {0, micros});
}

int64_t part_of_timestamp(DatePart part, int64_t timestamp) {
  if (part == DatePart::kEpoch) return timestamp / kMicrosPerSecond;
  if (is_clock_part(part)) return part_at(part, {0, floor_mod(timestamp, kMicrosPerDay)});
  return part_at(part, kernel::moment_of(timestamp));
}

int64_t part_of_interval(DatePart part, const Interval& interval) {
  if (is_clock_part(part)) return part_at(part, {0, interval.micros});
  kernel::Outcome outcome;
  const kernel::Interval value = to_kernel(interval);
  switch (part) {
    case DatePart::kMillennium:
      return kernel::months_of_interval<12'000, 0>(outcome, value);
    case DatePart::kCentury:
      return kernel::months_of_interval<1'200, 0>(outcome, value);
    case DatePart::kDecade:
      return kernel::months_of_interval<120, 0>(outcome, value);
    case DatePart::kYear:
      return kernel::months_of_interval<12, 0>(outcome, value);
    case DatePart::kQuarter:
      return kernel::quarter_of_interval(outcome, value);
    case DatePart::kMonth:
      return kernel::months_of_interval<1, 12>(outcome, value);
    case DatePart::kDay:
      return kernel::days_of_interval(outcome, value);
    case DatePart::kEpoch:
      return static_cast<int64_t>(kernel::epoch_of_interval(outcome, value));
    default:
      unknown_part("interval", part);
  }
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
