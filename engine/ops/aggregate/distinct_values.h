#pragma once

#include <memory>

#include "ops/aggregate/accumulator.h"
#include "ops/aggregate/functions.h"

namespace lanewise::ops {

/// f(DISTINCT x): gathers the distinct values of each group and gives each of them to `function` once, when
/// the result is asked for. `call` is f(x), with its ORDER BY, whose keys depend on the arguments.
std::unique_ptr<Accumulator> make_distinct_values(const AggregateFunction& function,
                                                  const plan::AggregateCall& call, MemoryBudget* budget);

}  // namespace lanewise::ops
