#pragma once

#include "base/cancel.h"

namespace lanewise::cli::bench {

/// Bytes per second that one core reads from memory: a plain loop over a buffer larger than its caches, the
/// best of several runs.
double read_rate(const Cancellation& cancellation);

/// The same for several threads at once, each with its own memory.
double read_rate(const Cancellation& cancellation, int threads);

/// Random reads per second of one core, beyond its caches: many at once, and each after the one before it.
struct RandomReads {
  double independent = 0, dependent = 0;
};
RandomReads random_reads(const Cancellation& cancellation);

}  // namespace lanewise::cli::bench
