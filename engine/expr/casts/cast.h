#pragma once

#include "expr/evaluation/evaluate.h"

/// CAST and TRY_CAST between all types that SQL casts. Times with zone are in UTC.
namespace lanewise::expr {

/// Whether there is such a cast at all.
bool can_cast(Type from, Type to);

/// The active rows of `from` as `to`. What cannot be converted raises UserError, with try_cast it is NULL.
Vector cast(const Vector& from, Type to, bool try_cast, const ActiveSet& rows, EvalContext& context);
Value cast(const Value& from, Type to, bool try_cast);

/// Why `from`, which is not NULL, cannot be converted.
std::string cast_error(const Value& from, Type to);

}  // namespace lanewise::expr
