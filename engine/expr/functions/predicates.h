#pragma once

#include <vector>

#include "expr/expr.h"

/// The order in which predicates are tried.
namespace lanewise::expr {

/// The operands of all top-level ANDs of the predicates.
std::vector<ExprPtr> conjuncts(const std::vector<ExprPtr>& predicates);

/// Whether it may have no value but an error, for some row.
bool may_raise(const Expr& expr);

/// A rough time per row, in units of one comparison of two numbers.
double cost(const Expr& expr);

/// The predicates, cheapest first. Those that can raise an error stay after all that precede them.
std::vector<ExprPtr> order_by_cost(std::vector<ExprPtr> predicates);

}  // namespace lanewise::expr
