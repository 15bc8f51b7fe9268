#include "expr/arithmetic/sums.h"

#include <algorithm>

#include "expr/arithmetic/evaluate_operator.h"

namespace lanewise::expr {

namespace {

constexpr int kNarrow = 18;  // digits of a decimal in 64 bits
constexpr int kWide = 38;    // and in 128

/// Whether the result may need more digits than its type has. Only the longest types of 64 and 128 bits may
/// be too short: others are chosen long enough.
bool may_overflow(const Expr& expr, Sign sign, const Type& a, const Type& b) {
  if (expr.type.precision != kNarrow && expr.type.precision != kWide) return false;
  const int needed =
      sign == Sign::kTimes ? a.precision + b.precision : std::max(a.precision, b.precision) + 1;
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

std::optional<Type> resolve_sum(std::span<const Type> args) {
  if (args.size() != 2 || args[0].id != args[1].id) return std::nullopt;
  if (args[0].is_integer() || args[0].is_float()) return args[0];
  if (args[0].id != TypeId::kDecimal || args[0].scale != args[1].scale) return std::nullopt;
  const int widest = std::max(args[0].precision, args[1].precision);
  const int limit = widest <= kNarrow ? kNarrow : kWide;
  const Type type = Type::decimal(static_cast<uint8_t>(std::min(widest + 1, limit)), args[0].scale);
  if (args[0].physical() != type.physical() || args[1].physical() != type.physical()) return std::nullopt;
  return type;
}

std::optional<Type> resolve_product(std::span<const Type> args) {
  if (args.size() != 2 || args[0].id != args[1].id) return std::nullopt;
  if (args[0].is_integer() || args[0].is_float()) return args[0];
  if (args[0].id != TypeId::kDecimal) return std::nullopt;
  const int scale = args[0].scale + args[1].scale;
  if (scale > kWide) return std::nullopt;
  const bool narrow = std::max(args[0].precision, args[1].precision) <= kNarrow && scale < kNarrow;
  const int digits = std::min(args[0].precision + args[1].precision, narrow ? kNarrow : kWide);
  const Type type = Type::decimal(static_cast<uint8_t>(digits), static_cast<uint8_t>(scale));
  if (args[0].physical() != type.physical() || args[1].physical() != type.physical()) return std::nullopt;
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

template Vector evaluate_sum<Sign::kPlus>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                          EvalContext&);
template Vector evaluate_sum<Sign::kMinus>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                           EvalContext&);
template Vector evaluate_sum<Sign::kTimes>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                           EvalContext&);
template Value reference_sum<Sign::kPlus>(const Expr&, std::span<const Value>);
template Value reference_sum<Sign::kMinus>(const Expr&, std::span<const Value>);
template Value reference_sum<Sign::kTimes>(const Expr&, std::span<const Value>);

}  // namespace lanewise::expr
