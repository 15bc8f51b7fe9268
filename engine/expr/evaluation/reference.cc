#include "expr/casts/cast.h"
#include "expr/conversion_error.h"
#include "expr/evaluation/evaluate.h"
#include "expr/function.h"

namespace lanewise {

namespace {

/// AND (decisive false) or OR (decisive true).
Value connect_values(const Expr& expr, bool decisive, std::span<const Value> row) {
  bool unknown = false;
  for (const ExprPtr& arg : expr.args) {
    const Value value = evaluate_reference(*arg, row);
    if (value.is_null()) {
      unknown = true;
    } else if (value.is_true() == decisive) {
      return Value::boolean(decisive);
    }
  }
  return unknown ? Value(TypeId::kBool) : Value::boolean(!decisive);
}

Value in(const Expr& expr, std::span<const Value> row) {
  const Value wanted = evaluate_reference(*expr.args[0], row);
  if (wanted.is_null()) return Value(TypeId::kBool);
  bool unknown = false;
  for (size_t arg = 1; arg < expr.args.size(); ++arg) {
    const Value item = evaluate_reference(*expr.args[arg], row);
    if (item.is_null()) {
      unknown = true;
    } else if (compare(wanted, item) == 0) {
      return Value::boolean(true);
    }
  }
  return unknown ? Value(TypeId::kBool) : Value::boolean(false);
}

Value call(const Expr& expr, std::span<const Value> row) {
  std::vector<Value> args;
  for (const ExprPtr& arg : expr.args) args.push_back(evaluate_reference(*arg, row));
  if (expr.function->nulls == Function::Nulls::kStrict) {
    for (const Value& arg : args) {
      if (arg.is_null()) return Value(expr.type);
    }
  }
  return expr.function->reference(expr, args);
}

Value cast_value(const Expr& expr, const Value& value) {
  try {
    return expr::cast(value, expr.type, expr.try_cast);
  } catch (ConversionError& error) {
    raise_again(error, expr);
  }
}

}  // namespace

Value evaluate_reference(const Expr& expr, std::span<const Value> row) {
  switch (expr.kind) {
    case Expr::Kind::kColumn:
      return row[expr.column];
    case Expr::Kind::kLiteral:
      return expr.literal;
    case Expr::Kind::kCall:
      return call(expr, row);
    case Expr::Kind::kCast:
      return cast_value(expr, evaluate_reference(*expr.args[0], row));
    case Expr::Kind::kAnd:
      return connect_values(expr, false, row);
    case Expr::Kind::kOr:
      return connect_values(expr, true, row);
    case Expr::Kind::kCase:
      for (size_t arg = 0; arg + 1 < expr.args.size(); arg += 2) {
        if (evaluate_reference(*expr.args[arg], row).is_true())
          return evaluate_reference(*expr.args[arg + 1], row);
      }
      return expr.args.size() % 2 == 1 ? evaluate_reference(*expr.args.back(), row) : Value(expr.type);
    case Expr::Kind::kCoalesce:
      for (const ExprPtr& arg : expr.args) {
        Value value = evaluate_reference(*arg, row);
        if (!value.is_null()) return value;
      }
      return Value(expr.type);
    case Expr::Kind::kIn:
      return in(expr, row);
  }
  throw InternalError("unknown expression");
}

}  // namespace lanewise
