#pragma once

#include <string>

#include "active/active_set.h"
#include "data/value.h"
#include "data/vector.h"
#include "expr/context.h"

/// CAST and TRY_CAST between all types that SQL casts. Times with a time zone are in UTC.
namespace lanewise::expr {

/// Whether SQL has this cast.
bool can_cast(Type from, Type to);
/// Whether each value of `from` can be cast: to a wider integer, to text.
bool holds_all(Type from, Type to);

/// Casts the active rows of `from` to `to`. A value that cannot be converted raises UserError; with try_cast,
/// NULL.
Vector cast(const Vector& from, Type to, bool try_cast, const ActiveSet& rows, EvalContext& context);
Value cast(const Value& from, Type to, bool try_cast);

/// Why `from`, which is not NULL, cannot be converted.
std::string cast_error(const Value& from, Type to);

}  // namespace lanewise::expr
