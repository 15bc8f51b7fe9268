#pragma once

#include "expr/function.h"
#include "expr/vectors/vectors.h"

namespace lanewise::expr {

/// a BETWEEN b AND c is a >= b AND a <= c in three-valued logic, with a computed once.
std::shared_ptr<const Prepared> prepare_between(std::span<const ExprPtr> args);
Truth truth_of_between(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                       EvalContext& context);
Vector evaluate_between(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                        EvalContext& context);
Value reference_between(const Expr& expr, std::span<const Value> args);

}  // namespace lanewise::expr
