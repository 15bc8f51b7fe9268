#pragma once

#include <string>
#include <vector>

#include "base/cancel.h"
#include "study/bench/counters.h"

namespace lanewise::cli::bench {

/// Runs this program with `arguments` under valgrind's cachegrind, which simulates caches and branch
/// prediction; returns the events of the whole run. Throws UserError if valgrind is not installed,
/// CancelledError if the user stops it.
Events simulate(const std::vector<std::string>& arguments, const Cancellation& cancellation);

/// The events in cachegrind's report. Throws InternalError for any other text.
Events parse_cachegrind(const std::string& report);

}  // namespace lanewise::cli::bench
