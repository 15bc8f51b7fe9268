#pragma once

#include <span>

#include "active/active_set.h"
#include "data/value.h"
#include "data/vector.h"
#include "expr/context.h"
#include "expr/expr.h"

namespace lanewise {

/// The values of `expr` for the active rows; other rows are unspecified. An expression raises (UserError)
/// only for active rows. `columns` are the chunk's.
Vector evaluate(const Expr& expr, std::span<const Vector> columns, const ActiveSet& rows,
                EvalContext& context);

/// The active rows for which the predicate is true (not false, not NULL).
ActiveSet narrow(const Expr& predicate, std::span<const Vector> columns, const ActiveSet& rows,
                 EvalContext& context);

/// The plain, slow, row-by-row meaning of an expression: the tests' oracle.
Value evaluate_reference(const Expr& expr, std::span<const Value> row);

}  // namespace lanewise
