#include <array>

#include <fmt/format.h>

#include "data/format.h"
#include "expr/dates/calendar.h"
#include "expr/dates/functions.h"
#include "expr/dates/parts.h"
#include "expr/gpu/casts/strftime-inl.h"
#include "expr/gpu/literals.h"
#include "expr/signature.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr {

namespace {

/// Directives that may stand without padding, after "%-".
constexpr std::string_view kUnpadded = "dmyHIMSj";
constexpr std::string_view kDirectives = "aAwudhbBmyYGHIpMSnfgzZjUWVcxXT%";

struct PreparedFormat final : Prepared {
  std::string text;
};

std::shared_ptr<const Prepared> prepare_format(const Expr& format) {
  if (format.kind != Expr::Kind::kLiteral) throw UserError("strftime format must be a constant");
  if (format.literal.is_null()) return nullptr;
  const std::string& text = format.literal.text();
  if (text.empty()) throw UserError("Failed to parse format specifier: Empty format string");
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    ++i;
    if (i == text.size())
      throw UserError("Failed to parse format specifier " + text + ": Trailing format character %");
    const bool unpadded = text[i] == '-' && i + 1 < text.size();
    if (unpadded) ++i;
    if ((unpadded ? kUnpadded : kDirectives).find(text[i]) == std::string_view::npos) {
      throw UserError("Failed to parse format specifier " + text +
                      ": Unrecognized format for strftime/strptime: %" + (unpadded ? "-" : "") + text[i]);
    }
  }
  auto prepared = std::make_shared<PreparedFormat>();
  prepared->text = text;
  return prepared;
}

/// The format for which a directive is an abbreviation, if any.
std::string_view composed(char directive) {
  switch (directive) {
    case 'c':
      return "%Y-%m-%d %H:%M:%S";
    case 'x':
      return "%Y-%m-%d";
    case 'X':
    case 'T':
      return "%H:%M:%S";
    default:
      return {};
  }
}

void print(std::string_view text, int64_t nanos_of_day, int32_t days, std::string& out);

constexpr std::string_view kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                      "Friday", "Saturday", "Sunday"};
constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

void print_number(int64_t value, int digits, bool padded, std::string& out) {
  out += fmt::format("{:0{}}", value, padded ? digits : 1);
}

void print_year(int64_t year, std::string& out) {
  out += year < 0 ? fmt::format("{}", year) : fmt::format("{:04}", year);
}

/// Prints a date directive; false if it is not one.
bool print_of_date(char directive, bool padded, int32_t days, std::string& out) {
  const kernel::Moment at{days, 0};
  const kernel::Date date = civil(days);
  const auto day = static_cast<size_t>(kernel::isodow(at));
  const auto number = [&](int64_t value, int digits) { print_number(value, digits, padded, out); };
  switch (directive) {
    case 'a':
      return out += kDays[day - 1].substr(0, 3), true;
    case 'A':
      return out += kDays[day - 1], true;
    case 'w':
      return number(kernel::dow(at), 1), true;
    case 'u':
      return number(kernel::isodow(at), 1), true;
    case 'd':
      return number(date.day, 2), true;
    case 'h':
    case 'b':
      return out += kMonths[static_cast<size_t>(date.month - 1)].substr(0, 3), true;
    case 'B':
      return out += kMonths[static_cast<size_t>(date.month - 1)], true;
    case 'm':
      return number(date.month, 2), true;
    case 'y':
      return number(kernel::year_of_century(at), 2), true;
    case 'Y':
      return print_year(date.year, out), true;
    case 'G':
      return print_year(kernel::isoyear(at), out), true;
    case 'V':
      return number(kernel::week(at), 2), true;
    case 'U':
      return number(kernel::week_of_year<false>(at), 2), true;
    case 'W':
      return number(kernel::week_of_year<true>(at), 2), true;
    case 'j':
      return number(kernel::doy(at), 3), true;
    default:
      return false;
  }
}

void print_directive(char directive, bool padded, int64_t nanos, int32_t days, std::string& out) {
  if (print_of_date(directive, padded, days, out)) return;
  const int64_t seconds = nanos / 1'000'000'000, fraction = nanos % 1'000'000'000;
  const auto number = [&](int64_t value, int digits) { print_number(value, digits, padded, out); };
  switch (directive) {
    case 'H':
      return number(seconds / 3600, 2);
    case 'I':
      return number((seconds / 3600 + 11) % 12 + 1, 2);
    case 'p':
      out += seconds < 12 * 3600 ? "AM" : "PM";
      return;
    case 'M':
      return number(seconds / 60 % 60, 2);
    case 'S':
      return number(seconds % 60, 2);
    case 'n':
      return number(fraction, 9);
    case 'f':
      return number(fraction / 1000, 6);
    case 'g':
      return number(fraction / 1'000'000, 3);
    case 'z':
      out += "+00";
      return;
    case 'Z':  // timestamps without a time zone have no zone name
      return;
    case '%':
      out += directive;
      return;
    default:
      return print(composed(directive), nanos, days, out);
  }
}

void print(std::string_view text, int64_t nanos_of_day, int32_t days, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const bool padded = text[i + 1] != '-';
    i += padded ? 1 : 2;
    print_directive(text[i], padded, nanos_of_day, days, out);
  }
}

std::string_view printed_by_format(const Site& site, int32_t days, int64_t nanos_of_day) {
  std::string out;
  if (is_finite_date(days)) {
    print(static_cast<const PreparedFormat&>(*site.expr.prepared).text, nanos_of_day, days, out);
  } else {
    format::date(days, out);
  }
  return site.arena.copy(out);
}

std::string_view print_date(const Site& site, int32_t days) { return printed_by_format(site, days, 0); }
std::string_view print_timestamp(const Site& site, int64_t micros) {
  const int32_t days = date_of(micros);
  return printed_by_format(site, days, is_finite(micros) ? floor_mod(micros, kMicrosPerDay) * 1000 : 0);
}
std::string_view print_nanos(const Site& site, int64_t nanos) {
  constexpr int64_t kNanosPerDay = kMicrosPerDay * 1000;
  if (!is_finite(nanos)) return print_timestamp(site, nanos);
  return printed_by_format(site, static_cast<int32_t>(floor_div(nanos, kNanosPerDay)),
                           floor_mod(nanos, kNanosPerDay));
}

/// The index of the value among the arguments; the format is the other one.
template <size_t at>
std::optional<Type> resolve_format(std::span<const Type> args) {
  if (args.size() != 2 || args[1 - at].id != TypeId::kVarchar) return std::nullopt;
  const Type type = args[at];
  if (type.id != TypeId::kDate && type != Type(TypeId::kTimestamp) &&
      type != Type::timestamp(TimeUnit::kNano)) {
    return std::nullopt;
  }
  return TypeId::kVarchar;
}
template <size_t at>
std::shared_ptr<const Prepared> prepare_strftime(std::span<const ExprPtr> args) {
  return prepare_format(*args[1 - at]);
}
template <size_t at>
Vector evaluate(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context) {
  const Type type = args[at].type;
  const auto value = args.subspan(at, 1);
  if (type.id == TypeId::kDate) return evaluate_each<&print_date>(expr, value, rows, context);
  if (type.unit == TimeUnit::kNano) return evaluate_each<&print_nanos>(expr, value, rows, context);
  return evaluate_each<&print_timestamp>(expr, value, rows, context);
}
template <size_t at>
Value reference(const Expr& expr, std::span<const Value> args) {
  const Type type = args[at].type();
  const auto value = args.subspan(at, 1);
  if (type.id == TypeId::kDate) return reference_each<&print_date>(expr, value);
  if (type.unit == TimeUnit::kNano) return reference_each<&print_nanos>(expr, value);
  return reference_each<&print_timestamp>(expr, value);
}

/// The type in device/strftime-inl.h that writes a directive; empty if there is none.
std::string device_directive(char directive, bool padded) {
  const auto number = [&](std::string_view part, int digits) {
    return fmt::format("Numbered<{}, {}>", part, padded ? digits : 1);
  };
  switch (directive) {
    case 'a':
      return "DayName<3>";
    case 'A':
      return "DayName<9>";
    case 'w':
      return number("dow", 1);
    case 'u':
      return number("isodow", 1);
    case 'd':
      return number("day", 2);
    case 'h':
    case 'b':
      return "MonthName<3>";
    case 'B':
      return "MonthName<9>";
    case 'm':
      return number("month", 2);
    case 'y':
      return number("year_of_century", 2);
    case 'Y':
      return "YearOf<year>";
    case 'G':
      return "YearOf<isoyear>";
    case 'V':
      return number("week", 2);
    case 'U':
      return number("week_of_year<false>", 2);
    case 'W':
      return number("week_of_year<true>", 2);
    case 'j':
      return number("doy", 3);
    case 'H':
      return number("hour", 2);
    case 'I':
      return number("hour_of_twelve", 2);
    case 'p':
      return "HalfOfDay";
    case 'M':
      return number("minute", 2);
    case 'S':
      return number("second", 2);
    case 'n':
      return number("fraction_in_nanos", 9);
    case 'f':
      return number("fraction_in_micros", 6);
    case 'g':
      return number("fraction_in_millis", 3);
    default:
      return {};
  }
}

/// The types for a format, comma-separated.
std::string device_directives(std::string_view text) {
  std::string types;
  std::string said;
  const auto add = [&](const std::string& type) {
    if (!type.empty()) types += (types.empty() ? "" : ", ") + type;
  };
  const auto say = [&] {
    if (!said.empty()) add(fmt::format("Said<{}, {}>", device_quoted(said), said.size()));
    said.clear();
  };
  const auto expand = [&](std::string_view format, const auto& self) -> void {
    for (size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%') {
        said += format[i];
        continue;
      }
      const bool padded = format[i + 1] != '-';
      i += padded ? 1 : 2;
      if (const std::string_view whole = composed(format[i]); !whole.empty()) {
        self(whole, self);
      } else if (const std::string type = device_directive(format[i], padded); !type.empty()) {
        say();
        add(type);
      } else if (format[i] == 'z') {
        said += "+00";
      } else if (format[i] == '%') {
        said += '%';
      }
    }
  };
  expand(text, expand);
  say();
  return types;
}

template <size_t at>
std::optional<DeviceFunction> device(const Expr& expr) {
  if (expr.prepared == nullptr) return std::nullopt;
  const Type type = expr.args[at]->type;
  const char* function = type.id == TypeId::kDate       ? "printed_date"
                         : type.unit == TimeUnit::kNano ? "printed_nanos"
                                                        : "printed_timestamp";
  const std::string& format = static_cast<const PreparedFormat&>(*expr.prepared).text;
  return DeviceFunction{.name = fmt::format("{}<{}>", function, device_directives(format)),
                        .header = "casts/strftime",
                        .makes_text = true,
                        .first = at,
                        .last = at + 1};
}

template <size_t at>
constexpr Function format_entry(std::string_view example) {
  return {.name = "strftime",
          .resolve = resolve_format<at>,
          .prepare = prepare_strftime<at>,
          .evaluate = evaluate<at>,
          .reference = reference<at>,
          .device = device<at>,
          .documentation = "The date or timestamp printed by a format like '%Y-%m-%d'.",
          .example = example};
}

constexpr std::array kStrftimeTable = {
    format_entry<0>("strftime(TIMESTAMP '2024-02-29 12:34:56', '%a, %-d %b %Y %I:%M %p')"),
    format_entry<1>("strftime('%G-W%V-%u', DATE '2024-02-29')"),
};

}  // namespace

std::span<const Function> strftime_functions() { return kStrftimeTable; }

}  // namespace lanewise::expr
