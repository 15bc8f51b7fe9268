#include "expr/functions/predicates.h"

#include <algorithm>

#include "expr/casts/cast.h"
#include "expr/function.h"
#include "expr/patterns/prepared_pattern.h"

namespace lanewise::expr {

namespace {

void add_conjuncts(const ExprPtr& predicate, std::vector<ExprPtr>& out) {
  if (predicate->kind != Expr::Kind::kAnd) return out.push_back(predicate);
  for (const ExprPtr& arg : predicate->args) add_conjuncts(arg, out);
}

bool reads_text(const Expr& expr) {
  return std::any_of(expr.args.begin(), expr.args.end(),
                     [](const ExprPtr& arg) { return arg->type.is_string(); });
}

}  // namespace

bool may_raise(const Expr& expr) {
  bool found = false;
  walk(expr, [&](const Expr& part) {
    found |= part.kind == Expr::Kind::kCast && !part.try_cast && !holds_all(part.args[0]->type, part.type);
    found |= part.kind == Expr::Kind::kCall && part.function->raises && constant_test(part) == nullptr;
  });
  return found;
}

std::vector<ExprPtr> conjuncts(const std::vector<ExprPtr>& predicates) {
  std::vector<ExprPtr> out;
  for (const ExprPtr& predicate : predicates) add_conjuncts(predicate, out);
  return out;
}

double cost(const Expr& expr) {
  constexpr double kNumber = 1, kText = 8, kPattern = 60, kTextMade = 40, kCast = 10;
  double sum = 0;
  walk(expr, [&](const Expr& part) {
    switch (part.kind) {
      case Expr::Kind::kColumn:
      case Expr::Kind::kLiteral:
        return;
      case Expr::Kind::kCast:
        sum += part.type.is_string() || reads_text(part) ? kTextMade : kCast;
        return;
      default:
        if (part.type.is_string()) {
          sum += kTextMade;
        } else if (!reads_text(part)) {
          sum += kNumber;
        } else {
          sum += part.prepared != nullptr ? kPattern : kText;
        }
    }
  });
  return sum;
}

std::vector<ExprPtr> order_by_cost(std::vector<ExprPtr> predicates) {
  auto first = predicates.begin();
  while (first != predicates.end()) {  // sort each run of predicates that cannot raise
    const auto last = std::find_if(first, predicates.end(), [](const ExprPtr& p) { return may_raise(*p); });
    std::stable_sort(first, last, [](const ExprPtr& a, const ExprPtr& b) { return cost(*a) < cost(*b); });
    first = last == predicates.end() ? last : last + 1;
  }
  return predicates;
}

}  // namespace lanewise::expr
