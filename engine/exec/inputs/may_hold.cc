#include <algorithm>
#include <string_view>

#include "exec/inputs/bounds.h"
#include "expr/function.h"
#include "expr/patterns/prepared_pattern.h"

namespace lanewise::exec {

namespace {

using BoundsOf = std::function<const Bounds*(size_t column)>;

bool below(const Bounds& bounds, const Value& value) {
  return !bounds.high_is_open && compare(bounds.high, value) < 0;
}
bool above(const Bounds& bounds, const Value& value) { return compare(bounds.low, value) > 0; }

/// Whether some value within the bounds may satisfy `op` with `value`.
bool may_compare(std::string_view op, const Bounds& bounds, const Value& value) {
  if (op == "=") return !below(bounds, value) && !above(bounds, value);
  if (op == "<") return !above(bounds, value) && compare(bounds.low, value) != 0;
  if (op == "<=") return !above(bounds, value);
  if (op == ">") return !below(bounds, value) && (bounds.high_is_open || compare(bounds.high, value) != 0);
  if (op == ">=") return !below(bounds, value);
  return true;
}

bool may_start_with(const Bounds& bounds, std::string_view prefix) {
  const std::string &low = bounds.low.text(), &high = bounds.high.text();
  if (!bounds.high_is_open && high < prefix) return false;
  return low <= prefix || low.starts_with(prefix);
}

std::string_view mirrored(std::string_view op) {
  if (op == "<") return ">";
  if (op == "<=") return ">=";
  if (op == ">") return "<";
  if (op == ">=") return "<=";
  return op;
}

bool is_comparison(std::string_view name) {
  return name == "=" || name == "<" || name == "<=" || name == ">" || name == ">=";
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
    if (limit.literal.is_null() || !may_compare(side == 1 ? ">=" : "<=", bounds, limit.literal)) return false;
  }
  return true;
}

/// The prefix required by a pattern; nothing for other functions and patterns.
std::string_view prefix_of_pattern(const Expr& call) {
  static constexpr std::string_view kTests[] = {"~~", "like_escape", "~~~", "regexp_matches",
                                                "regexp_full_match"};
  if (std::find(std::begin(kTests), std::end(kTests), call.function->name) == std::end(kTests)) return {};
  const auto* pattern = dynamic_cast<const expr::PreparedPattern*>(call.prepared.get());
  const bool known = pattern != nullptr && pattern->is_constant() && pattern->fault().empty();
  return known ? pattern->pattern().prefix() : std::string_view();
}

bool may_hold_call(const Expr& call, const BoundsOf& bounds_of) {
  const std::string_view name = call.function->name;
  if (call.args.empty()) return true;
  const Bounds* bounds = bounds_of_column(*call.args[0], bounds_of);
  if (name == "IS NULL") return bounds == nullptr || bounds->nulls != 0;
  const bool all_null = bounds != nullptr && bounds->rows == bounds->nulls;
  if (name == "IS NOT NULL") return !all_null;
  if (name == "BETWEEN" && bounds != nullptr)
    return !all_null && (!bounds->known || may_lie_between(call, *bounds));
  if (const std::string_view prefix = prefix_of_pattern(call); bounds != nullptr && !prefix.empty())
    return !all_null && (!bounds->known || may_start_with(*bounds, prefix));
  if (call.args.size() != 2) return true;

  const Expr *column = call.args[0].get(), *constant = call.args[1].get();
  const bool flipped = constant->kind == Expr::Kind::kColumn;
  if (flipped) std::swap(column, constant);
  bounds = bounds_of_column(*column, bounds_of);
  if (bounds == nullptr || constant->kind != Expr::Kind::kLiteral || constant->type != column->type)
    return true;
  const bool prefix = !flipped && (name == "starts_with" || name == "^@" || name == "prefix");
  if (!prefix && !is_comparison(name)) return true;
  if (constant->literal.is_null() || bounds->rows == bounds->nulls) return false;
  if (!bounds->known) return true;
  if (!prefix) return may_compare(flipped ? mirrored(name) : name, *bounds, constant->literal);
  return may_start_with(*bounds, constant->literal.text());
}

bool may_hold_in(const Expr& in, const BoundsOf& bounds_of) {
  const Bounds* bounds = bounds_of_column(*in.args[0], bounds_of);
  if (bounds == nullptr) return true;
  if (bounds->rows == bounds->nulls) return false;
  if (!bounds->known) return true;
  return std::any_of(in.args.begin() + 1, in.args.end(), [&](const ExprPtr& arg) {
    if (arg->kind != Expr::Kind::kLiteral || arg->type != in.args[0]->type) return true;
    return !arg->literal.is_null() && may_compare("=", *bounds, arg->literal);
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

}  // namespace lanewise::exec
