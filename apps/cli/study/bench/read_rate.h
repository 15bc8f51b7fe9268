#pragma once

#include "base/cancel.h"

namespace lanewise::cli::bench {

/// Bytes per second at which one core reads memory: a plain loop over a buffer beyond its caches, the best of
/// several runs.
double read_rate(const Cancellation& cancellation);

}  // namespace lanewise::cli::bench
