#pragma once

#include "expr/evaluation/evaluate.h"
#include "expr/expr.h"
#include "expr/vectors/elements.h"

namespace lanewise::expr {

/// An aggregate over each row's elements, implemented in the layer of the aggregates.
struct Fold : Prepared {
  /// The result of each active row's elements, of type `type`. Empty lists have a result, too.
  virtual Vector run(Type type, const Elements& elements, const ActiveSet& rows,
                     EvalContext& context) const = 0;
};

/// list_aggregate(list, 'name').
ExprPtr fold(ExprPtr list, std::string_view name, Type type, std::shared_ptr<const Fold> fold);

}  // namespace lanewise::expr
