#pragma once

#include <string_view>
#include <vector>

#include "expr/expr.h"

/// Builders of expressions that name functions, or look for what several arguments can do together.
namespace lanewise {

/// Looks the function up by name and argument types (functions()); throws UserError that names both if there
/// is none.
ExprPtr call(std::string_view name, std::vector<ExprPtr> args);
/// The same with the result type that a binder has chosen: a decimal of the same scale but another precision
/// (it decides where overflow begins) and other names of fields are accepted, any other difference is an
/// InternalError.
ExprPtr call(std::string_view name, std::vector<ExprPtr> args, Type type);
/// list_transform, list_filter, list_reduce: see Expr::lambda.
ExprPtr call_lambda(std::string_view name, std::vector<ExprPtr> args, ExprPtr lambda, bool index, bool start,
                    Type type);
ExprPtr conjunction(std::vector<ExprPtr> args);
ExprPtr disjunction(std::vector<ExprPtr> args);
/// The values, at args[1], args[3], ... and the last one, are of one type; an even number of args means ELSE
/// NULL.
ExprPtr case_when(std::vector<ExprPtr> args);
ExprPtr coalesce(std::vector<ExprPtr> args);
ExprPtr in_list(ExprPtr arg, std::vector<ExprPtr> list);

}  // namespace lanewise
