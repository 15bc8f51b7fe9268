#pragma once

#include "ops/join/build.h"

namespace lanewise::ops {

/// Leaves of each active row's run the rows that lie on the range's side of its value; none where it is NULL.
void narrow_runs(const plan::JoinRange& range, const Build& build, const Vector& values,
                 const ActiveSet& rows, Runs runs);

/// Whether what is left of a run reaches to its end (else it begins where the run does).
bool reaches_end(plan::RangeOrder order);

}  // namespace lanewise::ops
