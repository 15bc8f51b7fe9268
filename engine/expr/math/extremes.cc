#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/math/functions.h"
#include "expr/vectors/compare.h"
#include "expr/vectors/loops.h"

namespace lanewise::expr {

namespace {

using Types = std::span<const Type>;
using Args = std::span<const Vector>;
using Values = std::span<const Value>;

std::optional<Type> resolve_alike(Types args) {
  if (args.empty()) return std::nullopt;
  const auto alike = [&](const Type& type) { return type == args[0]; };
  return std::all_of(args.begin(), args.end(), alike) ? std::optional<Type>(args[0]) : std::nullopt;
}

/// Intervals are compared by months first, as they are written, not by their length as `<` does.
template <class T>
bool before(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Interval>) {
    return std::tie(a.months, a.days, a.micros) < std::tie(b.months, b.days, b.micros);
  } else {
    return less(a, b);
  }
}
bool before(const Value& a, const Value& b) {
  return a.type().id == TypeId::kInterval ? before(a.interval(), b.interval()) : compare(a, b) < 0;
}

/// DuckDB compares FLOATs, alone of all numbers, by keys that know neither -0.0 nor the sign of NaN, and
/// makes the result from the key.
template <class T>
T from_key(T value, [[maybe_unused]] bool compared) {
  if constexpr (std::is_same_v<T, float>) {
    if (compared) return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value + 0.0F;
  }
  return value;
}

/// The first argument that none other exceeds; NULLs are passed over.
template <bool greatest>
Vector evaluate_extreme(const Expr& expr, Args args, const ActiveSet& rows, EvalContext& context) {
  return visit(expr.type.physical(), [&](auto zero) {
    using T = decltype(zero);
    T* out;
    Vector result = new_vector<T>(expr.type, rows.rows(), *context.arena, out);
    auto* validity = context.arena->allocate<uint64_t>(bits::words(rows.rows()) + 1);
    std::fill_n(validity, bits::words(rows.rows()) + 1, 0);
    for (const Vector& arg : args) {
      const Reader<T> in(arg);
      rows.for_each([&](uint32_t row) {
        if (arg.is_null(row)) return;
        const T value = in[row];
        if (bits::test(validity, row) && !(greatest ? before(out[row], value) : before(value, out[row])))
          return;
        out[row] = from_key(value, args.size() > 1);
        bits::set(validity, row);
      });
    }
    result.validity = validity;
    return result;
  });
}
template <bool greatest>
Value reference_extreme(const Expr& expr, Values args) {
  Value best(expr.type);
  for (const Value& arg : args) {
    if (arg.is_null()) continue;
    if (best.is_null() || (greatest ? before(best, arg) : before(arg, best))) best = arg;
  }
  if (expr.type.id == TypeId::kFloat32 && !best.is_null()) {
    best = to_value(expr.type, from_key(from_value<float>(best), args.size() > 1));
  }
  return best;
}

std::optional<Type> resolve_first(Types args) {
  if (args.size() < 2) return std::nullopt;
  return args[0];
}
Vector evaluate_first(const Expr&, Args args, const ActiveSet&, EvalContext&) { return args[0]; }
Value reference_first(const Expr&, Values args) { return args[0]; }

constexpr std::array kExtremesTable = std::to_array<Function>({
    {.name = "greatest",
     .form = Function::Form::kGreatest,
     .nulls = Function::Nulls::kOwn,
     .resolve = resolve_alike,
     .evaluate = evaluate_extreme<true>,
     .reference = reference_extreme<true>,
     .documentation = "The greatest argument; NULLs are passed over.",
     .example = "greatest(3, NULL, 2)"},
    {.name = "least",
     .form = Function::Form::kLeast,
     .nulls = Function::Nulls::kOwn,
     .resolve = resolve_alike,
     .evaluate = evaluate_extreme<false>,
     .reference = reference_extreme<false>,
     .documentation = "The least argument; NULLs are passed over.",
     .example = "least('b', 'a', NULL)"},
    {.name = "constant_or_null",
     .resolve = resolve_first,
     .evaluate = evaluate_first,
     .reference = reference_first,
     .device = on_device<"same">,
     .documentation = "The first argument, or NULL if any other is.",
     .example = "constant_or_null(1, NULL)"},
});

}  // namespace

std::span<const Function> extremes_functions() { return kExtremesTable; }

}  // namespace lanewise::expr
