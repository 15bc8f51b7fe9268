#include "expr/arithmetic/sums.h"

#include <algorithm>

#include "expr/arithmetic/evaluate_operator.h"

namespace lanewise::expr {

namespace {

constexpr int kNarrow = 18;  // digits of a decimal in 64 bits
constexpr int kWide = 38;    // and in 128

/// Whether the result may need more digits than its type has. Only the longest types of 64 and 128 bits can
/// be too short: others are always long enough.
bool may_overflow(const Expr& expr, Sign sign, const Type& a, const Type& b) {
  if (expr.type.precision != kNarrow && expr.type.precision != kWide) return false;
  const int needed = sign == Sign::kTimes ? as_decimal(a).precision + as_decimal(b).precision
                                          : std::max(as_decimal(a).precision, as_decimal(b).precision) + 1;
  return needed > expr.type.precision;
}

template <Sign sign>
Value exact(const Expr& expr, const Value& a, const Value& b) {
  int128_t result;
  const bool wrapped = overflows<sign>(a.integer(), b.integer(), result);
  const bool decimal = expr.type.id == TypeId::kDecimal;
  return visit_integer(expr.type.physical(), [&](auto zero) -> Value {
    using T = decltype(zero);
    const bool fits = decimal ? result <= power_of_ten(sizeof(T) == 8 ? 18 : 38) - 1 &&
                                    result >= 1 - power_of_ten(sizeof(T) == 8 ? 18 : 38)
                              : result >= static_cast<int128_t>(lowest<T>()) &&
                                    result <= static_cast<int128_t>(highest<T>());
    if (!wrapped && fits) return {expr.type, result};
    const std::string x = to_string(a.integer());
    const std::string y = to_string(b.integer());
    if (decimal) decimal_overflow(sign, sizeof(T) == 16, x, y);
    overflow(sign, internal_name(expr.type.physical()), x, y);
  });
}

template <Sign sign>
Value exact_unsigned(const Expr& expr, const Value& a, const Value& b) {
  uint128_t result;
  const bool wrapped = overflows<sign>(a.natural(), b.natural(), result);
  const uint128_t limit = visit_integer(expr.type.physical(), [](auto zero) -> uint128_t {
    return static_cast<uint128_t>(highest<decltype(zero)>());
  });
  if (!wrapped && result <= limit) return {expr.type, result};
  overflow(sign, internal_name(expr.type.physical()), to_string(a.natural()), to_string(b.natural()));
}

}  // namespace

Type as_decimal(const Type& type) { return type.id == TypeId::kInt128 ? Type::decimal(kWide, 0) : type; }

bool are_decimals(std::span<const Type> args) {
  if (args.size() != 2) return false;
  const auto is = [](const Type& type) { return type.id == TypeId::kDecimal; };
  return (is(args[0]) || is(args[1])) && is(as_decimal(args[0])) && is(as_decimal(args[1]));
}

std::optional<Type> resolve_sum(std::span<const Type> args) {
  if (args.size() != 2) return std::nullopt;
  if (args[0] == args[1] && (args[0].is_integer() || args[0].is_float())) return args[0];
  if (!are_decimals(args)) return std::nullopt;
  const Type a = as_decimal(args[0]), b = as_decimal(args[1]);
  if (a.scale != b.scale) return std::nullopt;
  const int widest = std::max(a.precision, b.precision);
  const int limit = widest <= kNarrow ? kNarrow : kWide;
  const Type type = Type::decimal(static_cast<uint8_t>(std::min(widest + 1, limit)), a.scale);
  if (a.physical() != type.physical() || b.physical() != type.physical()) return std::nullopt;
  return type;
}

std::optional<Type> resolve_product(std::span<const Type> args) {
  if (args.size() != 2) return std::nullopt;
  if (args[0] == args[1] && (args[0].is_integer() || args[0].is_float())) return args[0];
  if (!are_decimals(args)) return std::nullopt;
  const Type a = as_decimal(args[0]), b = as_decimal(args[1]);
  const int scale = a.scale + b.scale;
  if (scale > kWide) return std::nullopt;
  const bool narrow = std::max(a.precision, b.precision) <= kNarrow && scale < kNarrow;
  const int digits = std::min(a.precision + b.precision, narrow ? kNarrow : kWide);
  const Type type = Type::decimal(static_cast<uint8_t>(digits), static_cast<uint8_t>(scale));
  if (a.physical() != type.physical() || b.physical() != type.physical()) return std::nullopt;
  return type;
}

template <Sign sign>
Vector evaluate_sum(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                    EvalContext& context) {
  return visit_number(expr.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      return evaluate_operator<UncheckedOperator<sign, T>>(expr.type, args[0], args[1], rows, context);
    } else {
      if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, int128_t>) {
        if (expr.type.id == TypeId::kDecimal) {
          return may_overflow(expr, sign, args[0].type, args[1].type)
                     ? evaluate_operator<DecimalOperator<sign, T>>(expr.type, args[0], args[1], rows, context)
                     : evaluate_operator<UncheckedOperator<sign, T>>(expr.type, args[0], args[1], rows,
                                                                     context);
        }
      }
      return evaluate_operator<IntegerOperator<sign, T>>(expr.type, args[0], args[1], rows, context);
    }
  });
}

template <Sign sign>
Value reference_sum(const Expr& expr, std::span<const Value> args) {
  if (expr.type.is_float()) {
    const double a = args[0].real();
    const double b = args[1].real();
    const double result = sign == Sign::kPlus ? a + b : sign == Sign::kMinus ? a - b : a * b;
    return {expr.type, expr.type.id == TypeId::kFloat32 ? static_cast<float>(result) : result};
  }
  if (expr.type.is_unsigned_integer()) return exact_unsigned<sign>(expr, args[0], args[1]);
  return exact<sign>(expr, args[0], args[1]);
}

template <Sign sign>
std::optional<DeviceFunction> device_sum(const Expr& expr) {
  constexpr const char* kPlain[] = {"plus", "minus", "times"};
  constexpr const char* kDecimal[] = {"plus_decimal", "minus_decimal", "times_decimal"};
  constexpr const char* kFitting[] = {"plus_fitting", "minus_fitting", "times_fitting"};
  constexpr int kWhich = sign == Sign::kPlus ? 0 : sign == Sign::kMinus ? 1 : 2;
  if (expr.type.id != TypeId::kDecimal) return DeviceFunction{kPlain[kWhich]};
  const bool checked = may_overflow(expr, sign, expr.args[0]->type, expr.args[1]->type);
  return DeviceFunction{checked ? kDecimal[kWhich] : kFitting[kWhich]};
}

template Vector evaluate_sum<Sign::kPlus>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                          EvalContext&);
template Vector evaluate_sum<Sign::kMinus>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                           EvalContext&);
template Vector evaluate_sum<Sign::kTimes>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                           EvalContext&);
template Value reference_sum<Sign::kPlus>(const Expr&, std::span<const Value>);
template Value reference_sum<Sign::kMinus>(const Expr&, std::span<const Value>);
template Value reference_sum<Sign::kTimes>(const Expr&, std::span<const Value>);
template std::optional<DeviceFunction> device_sum<Sign::kPlus>(const Expr&);
template std::optional<DeviceFunction> device_sum<Sign::kMinus>(const Expr&);
template std::optional<DeviceFunction> device_sum<Sign::kTimes>(const Expr&);

}  // namespace lanewise::expr
