#include "expr/arithmetic/functions.h"

#include <array>

#include "expr/arithmetic/integers.h"
#include "expr/arithmetic/sums.h"

namespace lanewise {

using namespace expr;

namespace expr {
void division_overflow(const std::string& a, const std::string& b) {
  throw UserError("Overflow in division of " + a + " / " + b);
}
}  // namespace expr

namespace {

using Types = std::span<const Type>;
using Args = std::span<const Vector>;
using Values = std::span<const Value>;

bool alike(Types args) { return args.size() == 2 && args[0] == args[1]; }

std::optional<Type> resolve_integers(Types args) {
  if (!alike(args) || !args[0].is_integer()) return std::nullopt;
  return args[0];
}
std::optional<Type> resolve_floats(Types args) {
  if (!alike(args) || !args[0].is_float()) return std::nullopt;
  return args[0];
}
std::optional<Type> resolve_quotient(Types args) {
  if (!alike(args) || (!args[0].is_integer() && !args[0].is_float())) return std::nullopt;
  return args[0];
}
std::optional<Type> resolve_remainder(Types args) {
  if (!are_decimals(args)) return resolve_quotient(args);
  const Type a = as_decimal(args[0]), b = as_decimal(args[1]);
  if (a.scale != b.scale || a.physical() != b.physical()) return std::nullopt;
  return a.precision > b.precision ? a : b;
}
std::optional<Type> resolve_number(Types args) {
  if (args.size() != 1) return std::nullopt;
  if (!args[0].is_integer() && !args[0].is_float() && args[0].id != TypeId::kDecimal) return std::nullopt;
  return args[0];
}
std::optional<Type> resolve_integer(Types args) {
  if (args.size() != 1 || !args[0].is_integer()) return std::nullopt;
  return args[0];
}

Vector evaluate_same(const Expr&, Args args, const ActiveSet&, EvalContext&) { return args[0]; }
Value reference_same(const Expr&, Values args) { return args[0]; }

// One pair of evaluators per function template of arithmetic/integers.h.
// NOLINTBEGIN(bugprone-macro-parentheses): these are names
#define LANEWISE_EVALUATORS(function, visit)                                                             \
  Vector evaluate_##function(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) { \
    return visit(expr.type.physical(), [&](auto zero) {                                                  \
      return evaluate_each<&function<decltype(zero)>>(expr, args, rows, context);                        \
    });                                                                                                  \
  }                                                                                                      \
  Value reference_##function(const Expr& expr, Values args) {                                            \
    return visit(expr.type.physical(),                                                                   \
                 [&](auto zero) { return reference_each<&function<decltype(zero)>>(expr, args); });      \
  }
// NOLINTEND(bugprone-macro-parentheses)
LANEWISE_EVALUATORS(quotient, visit_number)
LANEWISE_EVALUATORS(remainder, visit_number)
LANEWISE_EVALUATORS(negative, visit_number)
LANEWISE_EVALUATORS(bit_and, visit_integer)
LANEWISE_EVALUATORS(bit_or, visit_integer)
LANEWISE_EVALUATORS(bit_xor, visit_integer)
LANEWISE_EVALUATORS(bit_not, visit_integer)
LANEWISE_EVALUATORS(shift_left, visit_integer)
LANEWISE_EVALUATORS(shift_right, visit_integer)
#undef LANEWISE_EVALUATORS

Vector evaluate_ratio(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  return expr.type.id == TypeId::kFloat32 ? evaluate_each<&ratio<float>>(expr, args, rows, context)
                                          : evaluate_each<&ratio<double>>(expr, args, rows, context);
}
Value reference_ratio(const Expr& expr, Values args) {
  return expr.type.id == TypeId::kFloat32 ? reference_each<&ratio<float>>(expr, args)
                                          : reference_each<&ratio<double>>(expr, args);
}

std::optional<DeviceFunction> device_remainder(const Expr& expr) {
  if (expr.type.is_float()) return DeviceFunction{.name = "real_remainder", .header = "math"};
  return DeviceFunction{"remainder", true};
}

constexpr std::array kArithmeticTable = std::to_array<Function>({
    {.name = "+",
     .raises = true,
     .resolve = resolve_sum,
     .evaluate = evaluate_sum<Sign::kPlus>,
     .reference = reference_sum<Sign::kPlus>,
     .device = device_sum<Sign::kPlus>,
     .documentation = "The sum; overflow is an error.",
     .example = "1.25 + 2"},
    {.name = "+",
     .resolve = resolve_number,
     .evaluate = evaluate_same,
     .reference = reference_same,
     .device = on_device<"same">,
     .documentation = "The number itself.",
     .example = "+ 1"},
    {.name = "-",
     .raises = true,
     .resolve = resolve_sum,
     .evaluate = evaluate_sum<Sign::kMinus>,
     .reference = reference_sum<Sign::kMinus>,
     .device = device_sum<Sign::kMinus>,
     .documentation = "The difference; overflow is an error.",
     .example = "1 - 2"},
    {.name = "-",
     .raises = true,
     .resolve = resolve_number,
     .evaluate = evaluate_negative,
     .reference = reference_negative,
     .device = on_device<"negative">,
     .documentation = "The number with the other sign; overflow is an error.",
     .example = "-(2.50)"},
    {.name = "*",
     .raises = true,
     .resolve = resolve_product,
     .evaluate = evaluate_sum<Sign::kTimes>,
     .reference = reference_sum<Sign::kTimes>,
     .device = device_sum<Sign::kTimes>,
     .documentation = "The product; overflow is an error.",
     .example = "1.1 * 1.10"},
    {.name = "/",
     .resolve = resolve_floats,
     .evaluate = evaluate_ratio,
     .reference = reference_ratio,
     .device = on_device<"ratio">,
     .documentation = "The quotient of floats; division by zero gives inf or nan.",
     .example = "7 / 2"},
    {.name = "//",
     .raises = true,
     .resolve = resolve_quotient,
     .evaluate = evaluate_quotient,
     .reference = reference_quotient,
     .device = on_device<"quotient", "", true>,
     .documentation = "The quotient, of integers without its fraction; NULL for division by zero.",
     .example = "-7 // 2"},
    {.name = "%",
     .raises = true,
     .resolve = resolve_remainder,
     .evaluate = evaluate_remainder,
     .reference = reference_remainder,
     .device = device_remainder,
     .documentation =
         "The remainder, with the sign of the first; of integers and decimals NULL for division by zero.",
     .example = "-7 % 4"},
    {.name = "&",
     .resolve = resolve_integers,
     .evaluate = evaluate_bit_and,
     .reference = reference_bit_and,
     .device = on_device<"bit_and">,
     .documentation = "The bits that are set in both.",
     .example = "12 & 10"},
    {.name = "|",
     .resolve = resolve_integers,
     .evaluate = evaluate_bit_or,
     .reference = reference_bit_or,
     .device = on_device<"bit_or">,
     .documentation = "The bits that are set in one or both.",
     .example = "12 | 10"},
    {.name = "xor",
     .resolve = resolve_integers,
     .evaluate = evaluate_bit_xor,
     .reference = reference_bit_xor,
     .device = on_device<"bit_xor">,
     .documentation = "The bits that are set in one of both.",
     .example = "xor(12, 10)"},
    {.name = "~",
     .resolve = resolve_integer,
     .evaluate = evaluate_bit_not,
     .reference = reference_bit_not,
     .device = on_device<"bit_not">,
     .documentation = "All bits inverted.",
     .example = "~12"},
    {.name = "<<",
     .raises = true,
     .resolve = resolve_integers,
     .evaluate = evaluate_shift_left,
     .reference = reference_shift_left,
     .device = on_device<"shift_left">,
     .documentation = "The bits moved up; what does not fit is an error.",
     .example = "3 << 4"},
    {.name = ">>",
     .resolve = resolve_integers,
     .evaluate = evaluate_shift_right,
     .reference = reference_shift_right,
     .device = on_device<"shift_right">,
     .documentation = "The bits moved down; 0 if by their number or more.",
     .example = "-64 >> 3"},
});

}  // namespace

std::span<const Function> arithmetic_functions() { return kArithmeticTable; }

}  // namespace lanewise
