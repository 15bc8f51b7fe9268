#include <algorithm>
#include <string_view>

#include "expr/patterns/prepared_pattern.h"
#include "expr/vectors/comparison.h"
#include "ops/scan/bounds/bounds.h"

namespace lanewise::ops {

namespace {

using Form = Function::Form;
using kernels::Comparison;
using BoundsOf = std::function<const Bounds*(size_t column)>;

bool below(const Bounds& bounds, const Value& value) {
  return !bounds.high_is_open && compare(bounds.high, value) < 0;
}
bool above(const Bounds& bounds, const Value& value) { return compare(bounds.low, value) > 0; }

/// Whether some value within the bounds may satisfy the comparison with `value`.
bool may_compare(Comparison op, const Bounds& bounds, const Value& value) {
  switch (op) {
    case Comparison::eq:
      return !below(bounds, value) && !above(bounds, value);
    case Comparison::lt:
      return !above(bounds, value) && compare(bounds.low, value) != 0;
    case Comparison::le:
      return !above(bounds, value);
    case Comparison::gt:
      return !below(bounds, value) && (bounds.high_is_open || compare(bounds.high, value) != 0);
    case Comparison::ge:
      return !below(bounds, value);
    default:
      return true;
  }
}

bool may_start_with(const Bounds& bounds, std::string_view prefix) {
  const std::string &low = bounds.low.text(), &high = bounds.high.text();
  if (!bounds.high_is_open && high < prefix) return false;
  return low <= prefix || low.starts_with(prefix);
}

/// Bounds of a plain column, or null.
const Bounds* bounds_of_column(const Expr& expr, const BoundsOf& bounds) {
  return expr.kind == Expr::Kind::kColumn ? bounds(expr.column) : nullptr;
}

/// column BETWEEN constant AND constant.
bool may_lie_between(const Expr& call, const Bounds& bounds) {
  for (size_t side : {1, 2}) {
    const Expr& limit = *call.args[side];
    if (limit.kind != Expr::Kind::kLiteral || limit.type != call.args[0]->type) continue;
    if (limit.literal.is_null() ||
        !may_compare(side == 1 ? Comparison::ge : Comparison::le, bounds, limit.literal))
      return false;
  }
  return true;
}

/// The prefix required by a constant pattern; empty for other expressions and patterns.
std::string_view prefix_of_pattern(const Expr& call) {
  const expr::PreparedPattern* pattern = expr::constant_test(call);
  return pattern != nullptr ? pattern->pattern().prefix() : std::string_view();
}

bool may_hold_call(const Expr& call, const BoundsOf& bounds_of) {
  const Form form = call.function->form;
  if (call.args.empty()) return true;
  const Bounds* bounds = bounds_of_column(*call.args[0], bounds_of);
  if (form == Form::kIsNull) return bounds == nullptr || bounds->nulls != 0;
  const bool all_null = bounds != nullptr && bounds->rows == bounds->nulls;
  if (form == Form::kIsNotNull) return !all_null;
  if (form == Form::kBetween && bounds != nullptr)
    return !all_null && (!bounds->known || may_lie_between(call, *bounds));
  if (const std::string_view prefix = prefix_of_pattern(call); bounds != nullptr && !prefix.empty())
    return !all_null && (!bounds->known || may_start_with(*bounds, prefix));
  const std::optional<Comparison> op = expr::comparison_of(form);
  if (!op) return true;

  const Expr *column = call.args[0].get(), *constant = call.args[1].get();
  const bool flipped = constant->kind == Expr::Kind::kColumn;
  if (flipped) std::swap(column, constant);
  bounds = bounds_of_column(*column, bounds_of);
  if (bounds == nullptr || constant->kind != Expr::Kind::kLiteral || constant->type != column->type)
    return true;
  if (constant->literal.is_null() || bounds->rows == bounds->nulls) return false;
  return !bounds->known || may_compare(flipped ? expr::mirrored(*op) : *op, *bounds, constant->literal);
}

bool may_hold_in(const Expr& in, const BoundsOf& bounds_of) {
  const Bounds* bounds = bounds_of_column(*in.args[0], bounds_of);
  if (bounds == nullptr) return true;
  if (bounds->rows == bounds->nulls) return false;
  if (!bounds->known) return true;
  return std::any_of(in.args.begin() + 1, in.args.end(), [&](const ExprPtr& arg) {
    if (arg->kind != Expr::Kind::kLiteral || arg->type != in.args[0]->type) return true;
    return !arg->literal.is_null() && may_compare(Comparison::eq, *bounds, arg->literal);
  });
}

}  // namespace

bool may_hold(const Expr& predicate, const BoundsOf& bounds) {
  auto one = [&](const ExprPtr& arg) { return may_hold(*arg, bounds); };
  switch (predicate.kind) {
    case Expr::Kind::kAnd:
      return std::all_of(predicate.args.begin(), predicate.args.end(), one);
    case Expr::Kind::kOr:
      return std::any_of(predicate.args.begin(), predicate.args.end(), one);
    case Expr::Kind::kLiteral:
      return predicate.literal.is_true();
    case Expr::Kind::kCall:
      return may_hold_call(predicate, bounds);
    case Expr::Kind::kIn:
      return may_hold_in(predicate, bounds);
    default:
      return true;
  }
}

}  // namespace lanewise::ops
