#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "expr/gpu/literals.h"
#include "expr/gpu/math-inl.h"
#include "expr/math/functions.h"
#include "expr/numbers.h"
#include "expr/vectors/kernel_function.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr {

namespace {

using Types = std::span<const Type>;
using Args = std::span<const Vector>;
using Values = std::span<const Value>;

bool is_numeric(Type type) { return type.is_integer() || type.is_float() || type.id == TypeId::kDecimal; }

template <class T>
T absolute(const Site&, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(value);
  } else if constexpr (is_signed<T>) {
    if (value == lowest<T>()) throw UserError("Overflow on abs(" + number_text(value) + ")");
    return static_cast<T>(value < 0 ? -value : value);
  } else {
    return value;
  }
}

// How a number becomes a whole one, and its name for devices.
using kernel::Ceil;
using kernel::Floor;
using kernel::Round;
using kernel::Trunc;
template <class Mode>
constexpr const char* kName = "";
template <>
constexpr const char* kName<Floor> = "Floor";
template <>
constexpr const char* kName<Ceil> = "Ceil";
template <>
constexpr const char* kName<Trunc> = "Trunc";
template <>
constexpr const char* kName<Round> = "Round";

template <class Mode, class T>
T whole(const Site& site, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(Mode::whole(value));
  } else {
    const int scale = site.expr.args[0]->type.scale;
    return scale == 0 ? value : Mode::quotient(value, static_cast<T>(power_of_ten(scale)));
  }
}

template <class Mode, class T>
T float_digits(T value, int32_t digits, double power) {
  kernel::Outcome outcome;
  return digits < 0 ? kernel::digits_before<Mode>(outcome, value, power, std::is_same_v<Mode, Round>)
                    : kernel::digits_after<Mode>(outcome, value, power);
}

template <class T>
double power_of(int32_t digits) {
  return std::pow(10, static_cast<double>(std::abs(static_cast<T>(digits))));
}
template <class Mode, class T>
T float_digits_of(const Site&, T value, int32_t digits) {
  return float_digits<Mode>(value, digits, power_of<T>(digits));
}
/// The power is computed again only where the digits change.
template <class Mode, class T>
Vector evaluate_float_digits(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  const Reader<T> values(args[0]);
  const Reader<int32_t> digits(args[1]);
  T* out;
  Vector result = new_vector<T>(expr.type, rows.rows(), *context.arena, out);
  int32_t last = 0;
  double power = 1;
  rows.for_each([&](uint32_t row) {
    if (digits[row] != last) power = power_of<T>(last = digits[row]);
    out[row] = float_digits<Mode>(values[row], last, power);
  });
  return result;
}

/// Decimals and integers, `scale` digits after the point, rounded to `digits`; the result has `kept` of them.
template <class Mode, class T>
T integer_digits(const Site& site, T value, int32_t digits) {
  const Type type = site.expr.args[0]->type;
  const int scale = type.id == TypeId::kDecimal ? type.scale : 0;
  if (digits >= scale) return value;
  const int dropped = scale - std::max(digits, -100);
  const int most = sizeof(T) == 16 ? 38 : 18;
  if (type.id == TypeId::kDecimal ? -digits >= type.precision - scale && digits < 0 : dropped > most)
    return 0;
  kernel::Outcome outcome;
  const T result = kernel::digits_of_integer<Mode>(outcome, value, power_of_ten(dropped),
                                                   power_of_ten(std::max(-digits, 0)));
  if (outcome.failed) {
    throw UserError(fmt::format("Overflow in {} of {} to {} digits", site.expr.function->name,
                                number_text(value), digits));
  }
  return result;
}

template <class T>
T unsigned_digits(const Site&, T value, int32_t digits) {
  if (digits >= 0) return value;
  if (digits < -38) return 0;
  kernel::Outcome outcome;
  return kernel::digits_of_natural(outcome, value, static_cast<uint128_t>(power_of_ten(-digits)));
}

std::optional<Type> resolve_absolute(Types args) {
  if (args.size() != 1 || !is_numeric(args[0])) return std::nullopt;
  return args[0];
}
Vector evaluate_absolute(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  return visit_number(expr.type.physical(), [&](auto zero) {
    return evaluate_each<&absolute<decltype(zero)>>(expr, args, rows, context);
  });
}
Value reference_absolute(const Expr& expr, Values args) {
  return visit_number(expr.type.physical(),
                      [&](auto zero) { return reference_each<&absolute<decltype(zero)>>(expr, args); });
}

std::optional<Type> resolve_sign(Types args) {
  if (args.size() != 1 || !(args[0].is_integer() || args[0].is_float())) return std::nullopt;
  return TypeId::kInt8;
}
Vector evaluate_sign(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  return visit_number(args[0].type.physical(), [&](auto zero) {
    return evaluate_each<on_host<kernel::sign<decltype(zero)>>>(expr, args, rows, context);
  });
}
Value reference_sign(const Expr& expr, Values args) {
  return visit_number(args[0].type().physical(), [&](auto zero) {
    return reference_each<on_host<kernel::sign<decltype(zero)>>>(expr, args);
  });
}

/// Which integers floor(x) and the like take, as they are.
enum class Operand : uint8_t { kNone, kSigned, kAll };

bool taken(Operand integers, Type type) {
  if (type.is_unsigned_integer()) return integers == Operand::kAll;
  return type.is_signed_integer() && integers != Operand::kNone;
}

template <Operand integers>
std::optional<Type> resolve_whole(Types args) {
  if (args.size() != 1) return std::nullopt;
  if (args[0].id == TypeId::kDecimal) return Type::decimal(args[0].precision, 0);
  if (args[0].is_float() || taken(integers, args[0])) return args[0];
  return std::nullopt;
}
template <class Mode>
Vector evaluate_whole(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  if (expr.type.is_integer()) return args[0];
  switch (args[0].type.physical()) {
    case Physical::kFloat32:
      return evaluate_each<&whole<Mode, float>>(expr, args, rows, context);
    case Physical::kFloat64:
      return evaluate_each<&whole<Mode, double>>(expr, args, rows, context);
    case Physical::kInt64:
      return evaluate_each<&whole<Mode, int64_t>>(expr, args, rows, context);
    default:
      return evaluate_each<&whole<Mode, int128_t>>(expr, args, rows, context);
  }
}
template <class Mode>
Value reference_whole(const Expr& expr, Values args) {
  if (expr.type.is_integer()) return args[0];
  switch (args[0].type().physical()) {
    case Physical::kFloat32:
      return reference_each<&whole<Mode, float>>(expr, args);
    case Physical::kFloat64:
      return reference_each<&whole<Mode, double>>(expr, args);
    case Physical::kInt64:
      return reference_each<&whole<Mode, int64_t>>(expr, args);
    default:
      return reference_each<&whole<Mode, int128_t>>(expr, args);
  }
}

template <class Mode>
std::optional<DeviceFunction> device_whole(const Expr& expr) {
  const Type type = expr.args[0]->type;
  if (type.is_float()) return DeviceFunction{fmt::format("whole_real<{}>", kName<Mode>), false, "math"};
  if (type.scale == 0) return DeviceFunction{"same"};
  return DeviceFunction{.name = fmt::format("whole_decimal<{}>", kName<Mode>),
                        .header = "math",
                        .constants = device_power(device_type(type), type.scale)};
}

template <Operand integers>
std::optional<Type> resolve_digits(Types args) {
  if (args.size() != 2 || args[1].id != TypeId::kInt32 || !is_numeric(args[0])) return std::nullopt;
  if (args[0].is_integer() && !taken(integers, args[0])) return std::nullopt;
  return args[0];
}
/// A decimal has as many digits after the point as are requested, but not more than before.
Type refine_digits(Type resolved, std::span<const ExprPtr> args) {
  if (resolved.id != TypeId::kDecimal) return resolved;
  if (args[1]->kind != Expr::Kind::kLiteral || args[1]->literal.is_null()) {
    throw UserError("round and trunc of a DECIMAL need a constant number of digits");
  }
  const int128_t digits = args[1]->literal.integer();
  const auto scale = static_cast<uint8_t>(std::clamp<int128_t>(digits, 0, resolved.scale));
  return Type::decimal(resolved.precision, scale);
}
template <class Mode>
Vector evaluate_digits(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  return visit_number(expr.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      return evaluate_float_digits<Mode, T>(expr, args, rows, context);
    } else if constexpr (is_signed<T>) {
      return evaluate_each<&integer_digits<Mode, T>>(expr, args, rows, context);
    } else {
      return evaluate_each<&unsigned_digits<T>>(expr, args, rows, context);
    }
  });
}
template <class Mode>
Value reference_digits(const Expr& expr, Values args) {
  return visit_number(expr.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      return reference_each<&float_digits_of<Mode, T>>(expr, args);
    } else if constexpr (is_signed<T>) {
      return reference_each<&integer_digits<Mode, T>>(expr, args);
    } else {
      return reference_each<&unsigned_digits<T>>(expr, args);
    }
  });
}

/// For a constant number of digits.
template <class Mode>
std::optional<DeviceFunction> device_digits(const Expr& expr) {
  if (expr.args[1]->kind != Expr::Kind::kLiteral || expr.args[1]->literal.is_null()) return std::nullopt;
  const auto digits = static_cast<int>(expr.args[1]->literal.integer());
  const Type type = expr.args[0]->type;
  const auto function = [](std::string name, std::string constants) {
    return DeviceFunction{
        .name = std::move(name), .header = "math", .constants = std::move(constants), .last = 1};
  };
  if (type.is_float()) {
    const double most = type.id == TypeId::kFloat32 ? std::abs(static_cast<float>(digits))
                                                    : std::abs(static_cast<double>(digits));
    const std::string power = ", " + device_literal(Value::float64(std::pow(10, most))).value;
    if (digits >= 0) return function(fmt::format("digits_after<{}>", kName<Mode>), power);
    return function(fmt::format("digits_before<{}>", kName<Mode>),
                    power + (std::is_same_v<Mode, Round> ? ", true" : ", false"));
  }
  const int scale = type.id == TypeId::kDecimal ? type.scale : 0;
  if (digits >= scale) return function("same", "");
  if (type.is_unsigned_integer())
    return digits < -38 ? function("zero", "") : function("digits_of_natural", device_power("u128", -digits));
  const int dropped = scale - std::max(digits, -100);
  const int most = width(type.physical()) == 16 ? 38 : 18;
  if (type.id == TypeId::kDecimal ? -digits >= type.precision - scale && digits < 0 : dropped > most)
    return function("zero", "");
  return function(fmt::format("digits_of_integer<{}>", kName<Mode>),
                  device_power("i128", dropped) + device_power("i128", std::max(-digits, 0)));
}

std::optional<Type> resolve_double(Types args) {
  if (args.size() != 1 || args[0].id != TypeId::kFloat64) return std::nullopt;
  return args[0];
}

template <class Mode, Operand integers>
constexpr Function whole_entry(std::string_view name, std::string_view documentation,
                               std::string_view example) {
  return {.name = name,
          .resolve = resolve_whole<integers>,
          .evaluate = evaluate_whole<Mode>,
          .reference = reference_whole<Mode>,
          .device = device_whole<Mode>,
          .documentation = documentation,
          .example = example};
}
template <class Mode, Operand integers>
constexpr Function digits_entry(std::string_view name, std::string_view documentation,
                                std::string_view example) {
  return {.name = name,
          .raises = true,
          .resolve = resolve_digits<integers>,
          .refine = refine_digits,
          .evaluate = evaluate_digits<Mode>,
          .reference = reference_digits<Mode>,
          .device = device_digits<Mode>,
          .documentation = documentation,
          .example = example};
}

constexpr std::array kRoundingTable = {
    Function{.name = "abs",
             .raises = true,
             .resolve = resolve_absolute,
             .evaluate = evaluate_absolute,
             .reference = reference_absolute,
             .device = on_device<"absolute">,
             .documentation = "The number without its sign; overflow is an error.",
             .example = "abs(-2.5)"},
    Function{.name = "sign",
             .resolve = resolve_sign,
             .evaluate = evaluate_sign,
             .reference = reference_sign,
             .device = on_device<"sign", "math">,
             .documentation = "-1, 0 or 1; of NaN 0.",
             .example = "sign(-349)"},
    whole_entry<Floor, Operand::kNone>("floor", "The largest whole number that is not greater.",
                                       "floor(-17.4)"),
    whole_entry<Ceil, Operand::kNone>("ceil", "The smallest whole number that is not less.", "ceil(17.4)"),
    whole_entry<Trunc, Operand::kAll>("trunc", "The number without its fraction.", "trunc(-17.4)"),
    whole_entry<Round, Operand::kSigned>("round", "The nearest whole number, halves away from zero.",
                                         "round(-17.5)"),
    digits_entry<Trunc, Operand::kAll>(
        "trunc", "The number cut to n digits after the point; a negative n counts before it.",
        "trunc(-17.456, 1)"),
    digits_entry<Round, Operand::kSigned>(
        "round",
        "The number rounded to n digits after the point; a negative n counts before it; "
        "halves away from zero.",
        "round(42.4332, 2)"),
    Function{.name = "even",
             .resolve = resolve_double,
             .evaluate = evaluate_each<on_host<kernel::even>>,
             .reference = reference_each<on_host<kernel::even>>,
             .device = on_device<"even", "math">,
             .documentation = "The next even number away from zero.",
             .example = "even(2.9)"},
};

}  // namespace

std::span<const Function> rounding_functions() { return kRoundingTable; }

}  // namespace lanewise::expr
