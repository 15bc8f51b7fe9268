#pragma once

#include "ops/join/build.h"

namespace lanewise::ops {

/// Narrows each active row's run to the rows that satisfy the range; to none if its value is NULL.
void narrow_runs(const plan::JoinRange& range, const Build& build, const Vector& values,
                 const ActiveSet& rows, Runs runs);

/// Whether a narrowed run ends where the run did (else it begins where the run did).
bool reaches_end(plan::RangeOrder order);

}  // namespace lanewise::ops
