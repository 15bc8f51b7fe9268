#include "expr/evaluation/evaluate.h"

#include "expr/casts/cast.h"
#include "expr/conversion_error.h"
#include "expr/evaluation/evaluation.h"

namespace lanewise {

using namespace expr;

namespace {

Vector evaluate_cast(const Expr& expr, const Vector& arg, const ActiveSet& rows, EvalContext& context) {
  try {
    return expr::cast(arg, expr.type, expr.try_cast, rows, context);
  } catch (ConversionError& error) {
    raise_again(error, expr);
  }
}

}  // namespace

Vector evaluate(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  switch (expr.kind) {
    case Expr::Kind::kColumn:
      return columns[expr.column];
    case Expr::Kind::kLiteral:
      return constant(expr.literal, *context.arena);
    case Expr::Kind::kCall:
      return evaluate_call(expr, columns, rows, context);
    case Expr::Kind::kCast:
      return evaluate_cast(expr, evaluate(*expr.args[0], columns, rows, context), rows, context);
    case Expr::Kind::kAnd:
    case Expr::Kind::kOr:
    case Expr::Kind::kIn:
      return vector_of(truth(expr, columns, rows, context), rows);
    case Expr::Kind::kCase:
      return evaluate_case(expr, columns, rows, context);
    case Expr::Kind::kCoalesce:
      return evaluate_coalesce(expr, columns, rows, context);
  }
  throw InternalError("unknown expression");
}

ActiveSet narrow(const Expr& predicate, Columns columns, const ActiveSet& rows, EvalContext& context) {
  if (predicate.kind == Expr::Kind::kAnd) {
    ActiveSet left = rows;
    for (const ExprPtr& arg : predicate.args) {
      if (left.none()) break;
      left = narrow(*arg, columns, left, context);
    }
    return left;
  }
  if (rows.none()) return rows;
  return rows.narrowed(truth(predicate, columns, rows, context).yes);
}

namespace expr {

Truth truth(const Expr& condition, Columns columns, const ActiveSet& rows, EvalContext& context) {
  switch (condition.kind) {
    case Expr::Kind::kAnd:
      return truth_of_and(condition, columns, rows, context);
    case Expr::Kind::kOr:
      return truth_of_or(condition, columns, rows, context);
    case Expr::Kind::kIn:
      return truth_of_in(condition, columns, rows, context);
    case Expr::Kind::kCall:
      return truth_of_call(condition, columns, rows, context);
    default:
      return truth_of(evaluate(condition, columns, rows, context), rows);
  }
}

}  // namespace expr
}  // namespace lanewise
