#pragma once

#include "base/cancel.h"

namespace lanewise::cli::bench {

/// Bytes per second at which one core reads memory: a plain loop over a buffer beyond its caches, the best of
/// several runs.
double read_rate(const Cancellation& cancellation);

/// The same of several threads at once, each with memory of its own.
double read_rate(const Cancellation& cancellation, int threads);

/// Random reads of one core per second, beyond its caches: many at once, and each after the one before it.
struct RandomReads {
  double independent = 0, dependent = 0;
};
RandomReads random_reads(const Cancellation& cancellation);

}  // namespace lanewise::cli::bench
