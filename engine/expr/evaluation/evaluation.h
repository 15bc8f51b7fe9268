#pragma once

#include <span>

#include "expr/evaluation/evaluate.h"
#include "expr/vectors/vectors.h"

/// How evaluate() and narrow() divide their work. All take the expression, the chunk's columns and the active
/// rows.
namespace lanewise::expr {

using Columns = std::span<const Vector>;

/// A condition as bitmaps, for narrow(), AND, OR, NOT and CASE.
Truth truth(const Expr& condition, Columns columns, const ActiveSet& rows, EvalContext& context);

/// kCall (call.cc).
Vector evaluate_call(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context);
Truth truth_of_call(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context);

/// kAnd, kOr (logic.cc).
Truth truth_of_and(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context);
Truth truth_of_or(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context);

/// kCase, kCoalesce (branches.cc).
Vector evaluate_case(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context);
Vector evaluate_coalesce(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context);

/// kIn (in_list.cc).
Truth truth_of_in(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context);
/// The set of an IN list whose items are all literals, or null.
std::shared_ptr<const Prepared> prepare_in(const std::vector<ExprPtr>& args);

/// Runs `function` over evaluated arguments: NULL rows of strict functions are left out,
/// constants are computed once, a dictionary once per entry.
Vector apply(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext& context);
Truth apply_condition(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows,
                      EvalContext& context);

}  // namespace lanewise::expr
