#include "expr/functions/build.h"

#include <algorithm>

#include "base/error.h"
#include "expr/evaluation/evaluation.h"
#include "expr/functions/functions.h"
#include "expr/patterns/either.h"
#include "expr/patterns/first_match.h"

namespace lanewise {

namespace {

bool condition(const ExprPtr& arg) { return arg->type.id == TypeId::kBool || arg->type.id == TypeId::kNull; }

/// AND or OR; nested ones of the same kind are flattened, so that each row is narrowed in one pass.
ExprPtr connective(Expr::Kind kind, bool neutral, std::vector<ExprPtr> args) {
  std::vector<ExprPtr> flat;
  for (ExprPtr& arg : args) {
    invariant(condition(arg), "AND and OR take conditions");
    if (arg->kind == kind) {
      flat.insert(flat.end(), arg->args.begin(), arg->args.end());
    } else {
      flat.push_back(std::move(arg));
    }
  }
  if (flat.empty()) return literal(Value::boolean(neutral));
  if (flat.size() == 1) return flat[0];
  return new_expr(kind, TypeId::kBool, std::move(flat));
}

/// Whether the types have the same representation: they differ at most in field names and precisions of
/// decimals.
bool lie_alike(Type a, Type b) {
  if (a.id != b.id || a.scale != b.scale || a.unit != b.unit || a.is_nested() != b.is_nested()) return false;
  if (!a.is_nested()) return a.id == TypeId::kDecimal ? a.physical() == b.physical() : a == b;
  return a.nested->size == b.nested->size &&
         std::ranges::equal(a.nested->members, b.nested->members,
                            [](const Member& x, const Member& y) { return lie_alike(x.type, y.type); });
}

std::string signature(std::string_view name, std::span<const Type> types) {
  std::string text(name);
  for (size_t i = 0; i < types.size(); ++i) text += (i == 0 ? "(" : ", ") + types[i].name();
  return text + (types.empty() ? "()" : ")");
}

}  // namespace

ExprPtr call(std::string_view name, std::vector<ExprPtr> args) {
  std::vector<Type> types;
  for (const ExprPtr& arg : args) types.push_back(arg->type);
  const Function* function = find_function(name, types);
  if (function == nullptr) throw UserError("there is no function " + signature(name, types));
  return call(*function, std::move(args));
}

ExprPtr call(std::string_view name, std::vector<ExprPtr> args, Type type) {
  ExprPtr expr = call(name, std::move(args));
  if (expr->type == type) return expr;
  const bool decimals = expr->type.id == TypeId::kDecimal && type.id == TypeId::kDecimal;
  if (!(decimals && expr->type.scale == type.scale) && !(type.is_nested() && lie_alike(expr->type, type))) {
    throw InternalError(std::string(name) + " gives " + expr->type.name() + ", but " + type.name() +
                        " is expected");
  }
  auto retyped = std::make_shared<Expr>(*expr);
  retyped->type = type;
  return retyped;
}

ExprPtr call_lambda(std::string_view name, std::vector<ExprPtr> args, ExprPtr lambda, bool index, bool start,
                    Type type) {
  auto expr = std::make_shared<Expr>(*call(name, std::move(args)));
  expr->type = type;
  expr->lambda = std::move(lambda);
  expr->lambda_index = index;
  expr->lambda_start = start;
  return expr;
}

ExprPtr conjunction(std::vector<ExprPtr> args) { return connective(Expr::Kind::kAnd, true, std::move(args)); }

ExprPtr disjunction(std::vector<ExprPtr> args) {
  ExprPtr expr = connective(Expr::Kind::kOr, false, std::move(args));
  if (expr->kind != Expr::Kind::kOr) return expr;
  auto prepared = std::make_shared<Expr>(*expr);
  prepared->prepared = expr::prepare_either(expr->args);
  return prepared;
}

ExprPtr case_when(std::vector<ExprPtr> args) {
  invariant(args.size() >= 2, "CASE has a branch");
  const Type type = args[1]->type;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_condition = i % 2 == 0 && i + 1 < args.size();
    invariant(is_condition ? condition(args[i]) : args[i]->type == type,
              "the branches of CASE are of one type");
  }
  auto expr = new_expr(Expr::Kind::kCase, type, std::move(args));
  expr->prepared = expr::prepare_first_match(expr->args);
  return expr;
}

ExprPtr coalesce(std::vector<ExprPtr> args) {
  invariant(!args.empty(), "COALESCE has arguments");
  const Type type = args[0]->type;
  for (const ExprPtr& arg : args) invariant(arg->type == type, "the arguments of COALESCE are of one type");
  return new_expr(Expr::Kind::kCoalesce, type, std::move(args));
}

ExprPtr in_list(ExprPtr arg, std::vector<ExprPtr> list) {
  for (const ExprPtr& item : list)
    invariant(item->type == arg->type, "the items of IN are of the argument's type");
  list.insert(list.begin(), std::move(arg));
  auto expr = new_expr(Expr::Kind::kIn, TypeId::kBool, std::move(list));
  expr->prepared = expr::prepare_in(expr->args);
  return expr;
}

}  // namespace lanewise
