#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "expr/dates/calendar.h"
#include "expr/dates/functions.h"
#include "expr/dates/parts.h"
#include "expr/gpu/casts/strftime-inl.h"
#include "expr/gpu/literals.h"
#include "expr/signature.h"
#include "expr/vectors/kernel_function.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr {

namespace {

/// What a letter after '%' writes: the type of strftime-inl.h, as sources for devices name it, and its
/// function.
struct Directive {
  char letter;
  bool padded;  // or after "%-"
  std::string_view type;
  uint64_t most;
  void (*put)(kernel::Letters& out, const kernel::Instant& at);
};
template <class D>
constexpr Directive directive(char letter, std::string_view type, bool padded = true) {
  return {letter, padded, type, D::kMost, &D::put};
}
template <class D>
constexpr Directive unpadded(char letter, std::string_view type) {
  return directive<D>(letter, type, false);
}
template <auto part, uint32_t digits>
using Number = kernel::Numbered<part, digits>;

constexpr Directive kDirectives[] = {
    directive<kernel::DayName<3>>('a', "DayName<3>"),
    directive<kernel::DayName<9>>('A', "DayName<9>"),
    directive<Number<kernel::dow, 1>>('w', "Numbered<dow, 1>"),
    directive<Number<kernel::isodow, 1>>('u', "Numbered<isodow, 1>"),
    directive<Number<kernel::day, 2>>('d', "Numbered<day, 2>"),
    directive<kernel::MonthName<3>>('h', "MonthName<3>"),
    directive<kernel::MonthName<3>>('b', "MonthName<3>"),
    directive<kernel::MonthName<9>>('B', "MonthName<9>"),
    directive<Number<kernel::month, 2>>('m', "Numbered<month, 2>"),
    directive<Number<kernel::year_of_century, 2>>('y', "Numbered<year_of_century, 2>"),
    directive<kernel::YearOf<kernel::year>>('Y', "YearOf<year>"),
    directive<kernel::YearOf<kernel::isoyear>>('G', "YearOf<isoyear>"),
    directive<Number<kernel::week, 2>>('V', "Numbered<week, 2>"),
    directive<Number<kernel::week_of_year<false>, 2>>('U', "Numbered<week_of_year<false>, 2>"),
    directive<Number<kernel::week_of_year<true>, 2>>('W', "Numbered<week_of_year<true>, 2>"),
    directive<Number<kernel::doy, 3>>('j', "Numbered<doy, 3>"),
    directive<Number<kernel::hour, 2>>('H', "Numbered<hour, 2>"),
    directive<Number<kernel::hour_of_twelve, 2>>('I', "Numbered<hour_of_twelve, 2>"),
    directive<kernel::HalfOfDay>('p', "HalfOfDay"),
    directive<Number<kernel::minute, 2>>('M', "Numbered<minute, 2>"),
    directive<Number<kernel::second, 2>>('S', "Numbered<second, 2>"),
    directive<Number<kernel::fraction_in_nanos, 9>>('n', "Numbered<fraction_in_nanos, 9>"),
    directive<Number<kernel::fraction_in_micros, 6>>('f', "Numbered<fraction_in_micros, 6>"),
    directive<Number<kernel::fraction_in_millis, 3>>('g', "Numbered<fraction_in_millis, 3>"),
    unpadded<Number<kernel::day, 1>>('d', "Numbered<day, 1>"),
    unpadded<Number<kernel::month, 1>>('m', "Numbered<month, 1>"),
    unpadded<Number<kernel::year_of_century, 1>>('y', "Numbered<year_of_century, 1>"),
    unpadded<Number<kernel::hour, 1>>('H', "Numbered<hour, 1>"),
    unpadded<Number<kernel::hour_of_twelve, 1>>('I', "Numbered<hour_of_twelve, 1>"),
    unpadded<Number<kernel::minute, 1>>('M', "Numbered<minute, 1>"),
    unpadded<Number<kernel::second, 1>>('S', "Numbered<second, 1>"),
    unpadded<Number<kernel::doy, 1>>('j', "Numbered<doy, 1>"),
};

const Directive* find_directive(char letter, bool padded) {
  const auto* const found = std::ranges::find_if(kDirectives, [&](const Directive& directive) {
    return directive.letter == letter && directive.padded == padded;
  });
  return found == std::end(kDirectives) ? nullptr : found;
}

/// The format for which a letter is an abbreviation, if any.
std::optional<std::string_view> composed(char letter) {
  switch (letter) {
    case 'c':
      return "%Y-%m-%d %H:%M:%S";
    case 'x':
      return "%Y-%m-%d";
    case 'X':
    case 'T':
      return "%H:%M:%S";
    case 'z':
      return "+00";
    case 'Z':  // timestamps without a time zone do not have the name of one
      return "";
    default:
      return std::nullopt;
  }
}

/// A format as what is written one after the other: letters, then what a directive writes.
struct PreparedFormat final : Prepared {
  struct Part {
    std::string said;
    const Directive* directive;  // null: only letters
  };
  std::vector<Part> parts;
  uint64_t most = 10;  // letters that it writes; those of "-infinity"
};

/// Appends the parts of `text` to those of `format`; `said` are the letters since the last directive.
void add_parts(std::string_view text, PreparedFormat& format, std::string& said) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      said += text[i];
      continue;
    }
    ++i;
    if (i == text.size())
      throw UserError(fmt::format("Failed to parse format specifier {}: Trailing format character %", text));
    const bool padded = text[i] != '-' || i + 1 == text.size();
    if (!padded) ++i;
    if (const Directive* const directive = find_directive(text[i], padded)) {
      format.most += directive->most;
      format.parts.push_back({std::exchange(said, {}), directive});
    } else if (padded && text[i] == '%') {
      said += '%';
    } else if (const auto whole = composed(text[i]); padded && whole) {
      add_parts(*whole, format, said);
    } else {
      throw UserError(
          fmt::format("Failed to parse format specifier {}: Unrecognized format for strftime/strptime: %{}{}",
                      text, padded ? "" : "-", text[i]));
    }
  }
}

std::shared_ptr<const Prepared> prepare_format(const Expr& format) {
  if (format.kind != Expr::Kind::kLiteral) throw UserError("strftime format must be a constant");
  if (format.literal.is_null()) return nullptr;
  if (format.literal.text().empty()) throw UserError("Failed to parse format specifier: Empty format string");
  auto prepared = std::make_shared<PreparedFormat>();
  std::string said;
  add_parts(format.literal.text(), *prepared, said);
  if (!said.empty()) prepared->parts.push_back({std::move(said), nullptr});
  for (const auto& part : prepared->parts) prepared->most += part.said.size();
  return prepared;
}

std::string_view printed_by_format(const Site& site, int32_t days, const kernel::Instant& at) {
  const auto& format = static_cast<const PreparedFormat&>(*site.expr.prepared);
  kernel::Letters out(site.arena.allocate<uint8_t>(format.most));
  if (is_finite_date(days)) {
    for (const auto& part : format.parts) {
      out.put(kernel_text(part.said));
      if (part.directive != nullptr) part.directive->put(out, at);
    }
  } else {
    out.infinity(days < 0);
  }
  return view({out.to, out.size});
}

std::string_view print_date(const Site& site, int32_t days) {
  return printed_by_format(site, days, {{days, 0}, 0});
}
std::string_view print_timestamp(const Site& site, int64_t micros) {
  return printed_by_format(site, date_of(micros), {kernel::moment_of(micros), 0});
}
std::string_view print_nanos(const Site& site, int64_t nanos) {
  if (!is_finite(nanos)) return print_timestamp(site, nanos);
  const int64_t micros = kernel::floor_div(nanos, 1000);
  return printed_by_format(site, date_of(micros),
                           {kernel::moment_of(micros), kernel::floor_mod(nanos, 1000)});
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

/// The types for a format, comma-separated.
std::string device_directives(const PreparedFormat& format) {
  std::string types;
  const auto add = [&](std::string_view type) {
    types += types.empty() ? "" : ", ";
    types += type;
  };
  for (const auto& part : format.parts) {
    if (!part.said.empty()) add(fmt::format("Said<{}, {}>", device_quoted(part.said), part.said.size()));
    if (part.directive != nullptr) add(part.directive->type);
  }
  return types;
}

template <size_t at>
std::optional<DeviceFunction> device(const Expr& expr) {
  if (expr.prepared == nullptr) return std::nullopt;
  const Type type = expr.args[at]->type;
  const char* function = type.id == TypeId::kDate       ? "printed_date"
                         : type.unit == TimeUnit::kNano ? "printed_nanos"
                                                        : "printed_timestamp";
  const auto& format = static_cast<const PreparedFormat&>(*expr.prepared);
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
