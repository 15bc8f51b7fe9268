#include "expr/codegen/cast_calls.h"

#include <fmt/format.h>

#include "data/format.h"
#include "expr/casts/cast.h"
#include "expr/casts/date_part.h"
#include "expr/codegen/emitter.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

DeviceFunction named(std::string name, std::string constants = {}, std::string_view header = {}) {
  return {.name = std::move(name), .header = header, .constants = std::move(constants)};
}

std::string real_power(std::string_view type, int digits) {
  const auto value = static_cast<double>(power_of_ten(digits));
  return fmt::format(", {}({})", type, device_literal(Value::float64(value)).value);
}

bool is_plain_number(Type type) { return type.id == TypeId::kBool || type.is_integer() || type.is_float(); }
bool is_timestamp(Type type) { return type.id == TypeId::kTimestamp || type.id == TypeId::kTimestampTz; }
std::string unit_argument(Type type) { return fmt::format(", i64({})", format::per_second(type)); }

std::optional<DeviceFunction> to_decimal(Type from, Type to) {
  const std::string target = device_type(to);
  if (from.is_float()) {
    return named(fmt::format("real_to_decimal<{}>", target),
                 real_power("f64", to.scale) + real_power("f64", to.precision));
  }
  if (from.id == TypeId::kBool && to.precision == to.scale) return std::nullopt;
  return named(fmt::format("integer_to_decimal<{}>", target),
               device_power("i128", to.scale) + device_power("i128", to.precision - to.scale));
}

DeviceFunction decimal_to_number(Type from, Type to) {
  const std::string target = device_type(to), divisor = device_power(device_type(from), from.scale);
  if (to.is_float())
    return named(fmt::format("decimal_to_real<{}>", target), divisor + real_power(target, from.scale));
  return named(fmt::format("decimal_to_integer<{}>", target), divisor);
}

DeviceFunction decimal_to_decimal(Type from, Type to) {
  const std::string target = device_type(to);
  const int shift = to.scale - from.scale;
  if (shift >= 0) {
    return named(fmt::format("widened_decimal<{}>", target),
                 device_power("i128", shift) + device_power("i128", to.precision - shift));
  }
  return named(fmt::format("shortened_decimal<{}>", target),
               device_power(device_type(from), -shift) + device_power("i128", to.precision));
}

std::optional<DeviceFunction> from_text(Type to) {
  const std::string target = device_type(to);
  switch (to.id) {
    case TypeId::kBool:
      return named("text_to_bool", {}, "casts/parse_numbers");
    case TypeId::kFloat32:
    case TypeId::kFloat64:
      return named(fmt::format("text_to_real<{}>", target), {}, "casts/parse_reals");
    case TypeId::kDecimal:
      return named(fmt::format("text_to_decimal<{}>", target),
                   fmt::format(", i32({}), i32({}){}", to.precision - to.scale, to.scale,
                               device_power("i128", to.precision)),
                   "casts/parse_numbers");
    case TypeId::kDate:
      return named("text_to_date", {}, "casts/parse_times");
    case TypeId::kTime:
      return named("text_to_time", {}, "casts/parse_times");
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return named("text_to_timestamp",
                   fmt::format("{}, {}", unit_argument(to),
                               to.id == TypeId::kTimestampTz || to.unit == TimeUnit::kNano),
                   "casts/parse_times");
    case TypeId::kInterval:
      return named("text_to_interval", ", " + device_literal(Value::varchar(interval_words())).value,
                   "casts/parse_interval");
    case TypeId::kBlob:
      return DeviceFunction{.name = "text_to_blob", .header = "strings/texts", .makes_text = true};
    default:
      if (!to.is_integer()) return std::nullopt;
      return named(fmt::format("text_to_integer<{}>", target), {}, "casts/parse_numbers");
  }
}

std::optional<DeviceFunction> to_text(Type from) {
  const auto made = [](std::string name, std::string constants = {}) {
    return DeviceFunction{.name = std::move(name),
                          .header = "casts/to_text",
                          .makes_text = true,
                          .constants = std::move(constants)};
  };
  if (from.id == TypeId::kBool) return made("bool_to_text");
  if (from.is_float())
    return DeviceFunction{.name = "real_to_text", .header = "casts/real_to_text", .makes_text = true};
  if (from.id == TypeId::kBlob)
    return DeviceFunction{.name = "blob_to_text", .header = "strings/texts", .makes_text = true};
  if (from.is_integer()) return made("integer_to_text");
  if (from.id == TypeId::kDate) return made("date_to_text");
  if (from.id == TypeId::kTime) return made("time_to_text");
  if (from.id == TypeId::kInterval) return made("interval_to_text");
  if (from.id == TypeId::kTimestampTz) return made("timestamp_to_text<1000000, 6, true>");
  if (from.id == TypeId::kTimestamp) {
    return made(fmt::format("timestamp_to_text<{}, {}, false>", format::per_second(from.unit),
                            format::fraction_digits(from.unit)));
  }
  if (from.id != TypeId::kDecimal) return std::nullopt;
  return made("decimal_to_text", device_power("u128", from.scale) +
                                     fmt::format(", {}, {}", from.scale, from.precision == from.scale));
}

}  // namespace

std::optional<DeviceFunction> device_cast(Type from, Type to) {
  if (from.is_nested() || to.is_nested() || !can_cast(from, to)) return std::nullopt;
  const bool from_decimal = from.id == TypeId::kDecimal, to_decimal_type = to.id == TypeId::kDecimal;
  if ((is_plain_number(from) || from_decimal) && to.id == TypeId::kBool) return named("to_bool");
  if (is_plain_number(from) && is_plain_number(to))
    return named(fmt::format("to_number<{}>", device_type(to)));
  if (is_plain_number(from) && to_decimal_type) return to_decimal(from, to);
  if (from_decimal && is_plain_number(to)) return decimal_to_number(from, to);
  if (from_decimal && to_decimal_type) return decimal_to_decimal(from, to);
  if (from.id == TypeId::kDate && is_timestamp(to))
    return named("date_to_timestamp", unit_argument(to), "dates");
  if (is_timestamp(from) && to.id == TypeId::kDate)
    return named("timestamp_to_date", unit_argument(from), "dates");
  if (is_timestamp(from) && to.id == TypeId::kTime)
    return named("timestamp_to_time", unit_argument(from), "dates");
  if (is_timestamp(from) && is_timestamp(to))
    return named("timestamp_to_timestamp", unit_argument(from) + unit_argument(to), "dates");
  if (from.id == TypeId::kVarchar) return from_text(to);
  if (to.id == TypeId::kVarchar) return to_text(from);
  return std::nullopt;
}

}  // namespace lanewise::expr
