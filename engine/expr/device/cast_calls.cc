#include "expr/device/cast_calls.h"

#include <fmt/format.h>

#include "expr/device/emitter.h"
#include "expr/numbers.h"

namespace lanewise::expr {

namespace {

std::string power(std::string_view type, int digits) {
  return fmt::format(", {}({})", type, device_literal(Value(TypeId::kInt128, power_of_ten(digits))).value);
}
std::string real_power(std::string_view type, int digits) {
  const auto value = static_cast<double>(power_of_ten(digits));
  return fmt::format(", {}({})", type, device_literal(Value::float64(value)).value);
}

bool is_plain_number(Type type) { return type.id == TypeId::kBool || type.is_integer() || type.is_float(); }
bool counts_micros(Type type) {
  return type == Type::timestamp(TimeUnit::kMicro) || type.id == TypeId::kTimestampTz;
}

CastCall to_decimal(Type from, Type to) {
  const std::string target = device_type(to);
  if (from.is_float()) {
    return {fmt::format("real_to_decimal<{}>", target),
            real_power("f64", to.scale) + real_power("f64", to.precision)};
  }
  if (from.id == TypeId::kBool && to.precision == to.scale) return {};
  return {fmt::format("integer_to_decimal<{}>", target),
          power("i128", to.scale) + power("i128", to.precision - to.scale)};
}

CastCall decimal_to_number(Type from, Type to) {
  const std::string target = device_type(to), divisor = power(device_type(from), from.scale);
  if (to.is_float())
    return {fmt::format("decimal_to_real<{}>", target), divisor + real_power(target, from.scale)};
  return {fmt::format("decimal_to_integer<{}>", target), divisor};
}

CastCall decimal_to_decimal(Type from, Type to) {
  const std::string target = device_type(to);
  const int shift = to.scale - from.scale;
  if (shift >= 0) {
    return {fmt::format("widened_decimal<{}>", target),
            power("i128", shift) + power("i128", to.precision - shift)};
  }
  return {fmt::format("shortened_decimal<{}>", target),
          power(device_type(from), -shift) + power("i128", to.precision)};
}

}  // namespace

CastCall cast_call(Type from, Type to) {
  const bool from_decimal = from.id == TypeId::kDecimal, to_decimal_type = to.id == TypeId::kDecimal;
  if ((is_plain_number(from) || from_decimal) && to.id == TypeId::kBool) return {"to_bool"};
  if (is_plain_number(from) && is_plain_number(to)) return {fmt::format("to_number<{}>", device_type(to))};
  if (is_plain_number(from) && to_decimal_type) return to_decimal(from, to);
  if (from_decimal && is_plain_number(to)) return decimal_to_number(from, to);
  if (from_decimal && to_decimal_type) return decimal_to_decimal(from, to);
  if (from.id == TypeId::kDate && counts_micros(to)) return {"date_to_timestamp"};
  if (counts_micros(from) && to.id == TypeId::kDate) return {"timestamp_to_date"};
  if (counts_micros(from) && counts_micros(to)) return {"same"};
  return {};
}

}  // namespace lanewise::expr
