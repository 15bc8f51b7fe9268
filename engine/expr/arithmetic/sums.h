#pragma once

#include "expr/arithmetic/operators.h"
#include "expr/function.h"

/// + - * of two numbers of one type: resolve, evaluate and reference for the function table.
namespace lanewise::expr {

/// DuckDB's binder leaves HUGEINT uncast next to a long DECIMAL: it becomes a decimal of scale 0.
Type as_decimal(const Type& type);
/// Two decimals, or one and such a HUGEINT.
bool are_decimals(std::span<const Type> args);

std::optional<Type> resolve_sum(std::span<const Type> args);      ///< + and -
std::optional<Type> resolve_product(std::span<const Type> args);  ///< *
template <Sign sign>
Vector evaluate_sum(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                    EvalContext& context);
template <Sign sign>
Value reference_sum(const Expr& expr, std::span<const Value> args);
template <Sign sign>
std::optional<DeviceFunction> device_sum(const Expr& expr);

extern template Vector evaluate_sum<Sign::kPlus>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                                 EvalContext&);
extern template Vector evaluate_sum<Sign::kMinus>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                                  EvalContext&);
extern template Vector evaluate_sum<Sign::kTimes>(const Expr&, std::span<const Vector>, const ActiveSet&,
                                                  EvalContext&);
extern template Value reference_sum<Sign::kPlus>(const Expr&, std::span<const Value>);
extern template Value reference_sum<Sign::kMinus>(const Expr&, std::span<const Value>);
extern template Value reference_sum<Sign::kTimes>(const Expr&, std::span<const Value>);
extern template std::optional<DeviceFunction> device_sum<Sign::kPlus>(const Expr&);
extern template std::optional<DeviceFunction> device_sum<Sign::kMinus>(const Expr&);
extern template std::optional<DeviceFunction> device_sum<Sign::kTimes>(const Expr&);

}  // namespace lanewise::expr
