#include "expr/expr.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "expr/function.h"

namespace lanewise {

std::shared_ptr<Expr> new_expr(Expr::Kind kind, Type type, std::vector<ExprPtr> args) {
  auto expr = std::make_shared<Expr>();
  expr->kind = kind;
  expr->type = type;
  expr->args = std::move(args);
  return expr;
}

ExprPtr column(size_t index, Type type) {
  auto expr = new_expr(Expr::Kind::kColumn, type);
  expr->column = index;
  return expr;
}

ExprPtr literal(Value value) {
  auto expr = new_expr(Expr::Kind::kLiteral, value.type());
  expr->literal = std::move(value);
  return expr;
}

ExprPtr call(const Function& function, std::vector<ExprPtr> args) {
  std::vector<Type> types;
  for (const ExprPtr& arg : args) types.push_back(arg->type);
  std::optional<Type> type = function.resolve(types);
  invariant(type.has_value(), "a function takes the arguments of its call");
  if (function.refine != nullptr) type = function.refine(*type, args);
  auto expr = new_expr(Expr::Kind::kCall, *type, std::move(args));
  expr->function = &function;
  if (function.prepare != nullptr) expr->prepared = function.prepare(expr->args);
  return expr;
}

ExprPtr cast(ExprPtr arg, Type type, bool try_cast) {
  if (arg->type == type) return arg;
  auto expr = new_expr(Expr::Kind::kCast, type, {std::move(arg)});
  expr->try_cast = try_cast;
  return expr;
}

std::vector<size_t> columns_of(const Expr& expr) {
  std::vector<size_t> columns;
  walk(expr, [&](const Expr& part) {
    if (part.kind == Expr::Kind::kColumn) columns.push_back(part.column);
  });
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

namespace {

/// Of one type, bit by bit: -0.0 is not 0.0, NaN is itself.
bool identical(const Value& a, const Value& b) {
  const auto* x = std::get_if<double>(&a.held());
  const auto* y = std::get_if<double>(&b.held());
  if (x != nullptr && y != nullptr) return std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y);
  return a.held() == b.held();
}

}  // namespace

bool equal(const ExprPtr& a, const ExprPtr& b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->kind != b->kind || a->type != b->type || a->column != b->column || a->function != b->function ||
      a->try_cast != b->try_cast || a->lambda_index != b->lambda_index || a->lambda_start != b->lambda_start)
    return false;
  if (a->function != nullptr && a->function->varies) return false;
  if (a->kind == Expr::Kind::kLiteral) return identical(a->literal, b->literal);
  return equal(a->lambda, b->lambda) &&
         std::ranges::equal(a->args, b->args, [](const ExprPtr& x, const ExprPtr& y) { return equal(x, y); });
}

ExprPtr remap(const ExprPtr& expr, const std::vector<size_t>& map) {
  auto result = std::make_shared<Expr>(*expr);
  if (expr->kind == Expr::Kind::kColumn) result->column = map[expr->column];
  for (ExprPtr& arg : result->args) arg = remap(arg, map);
  if (expr->prepared != nullptr) {
    if (auto prepared = expr->prepared->for_args(result->args)) result->prepared = std::move(prepared);
  }
  return result;
}

}  // namespace lanewise
