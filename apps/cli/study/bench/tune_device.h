#pragma once

#include <functional>
#include <string>

#include "base/cancel.h"
#include "ops/work/costs.h"

namespace lanewise::cli::bench {

/// Measures the first GPU and, with the same queries, this machine's threads. Must be the first in the
/// process to open a GPU, since that is measured, too. Throws DeviceError if none can be used.
ops::PlacementCosts tune_device(const Cancellation& cancellation,
                                const std::function<void(const std::string&, double)>& say);

}  // namespace lanewise::cli::bench
