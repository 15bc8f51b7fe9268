#pragma once

#include <functional>
#include <memory>

#include "ops/aggregate/accumulators/accumulator.h"

namespace lanewise::ops {

/// An aggregate of the application. Its accumulators see NULLs, but neither DISTINCT nor FILTER.
struct HostAggregate {
  std::function<std::unique_ptr<Accumulator>(MemoryBudget* budget)> make;
  bool in_order = false;  ///< the result depends on the order of rows
};

}  // namespace lanewise::ops
