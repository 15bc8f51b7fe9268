#pragma once

#include "active/active_set.h"
#include "data/vector.h"
#include "expr/context.h"
#include "primitives/kernels.h"

namespace lanewise::expr {

using kernels::Comparison;

/// The active rows where `a op b`, as a bitmap; for NULLs, the stored values are compared. Both are of one
/// physical type; numbers are plain or constant.
const uint64_t* rows_where(Comparison op, const Vector& a, const Vector& b, const ActiveSet& rows,
                           EvalContext& context);

}  // namespace lanewise::expr
