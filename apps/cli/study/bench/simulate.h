#pragma once

#include <string>
#include <vector>

#include "base/cancel.h"
#include "study/bench/counters.h"

namespace lanewise::cli::bench {

/// Runs this program with `arguments` under valgrind's cachegrind, which simulates a processor's caches and
/// its prediction of branches, and returns the events of the whole run. Throws UserError where there is no
/// valgrind, CancelledError where the user stops it.
Events simulate(const std::vector<std::string>& arguments, const Cancellation& cancellation);

/// The events in cachegrind's report. Throws InternalError for other text.
Events parse_cachegrind(const std::string& report);

}  // namespace lanewise::cli::bench
