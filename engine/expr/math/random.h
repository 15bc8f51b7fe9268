#pragma once

#include "expr/expr.h"

namespace lanewise::expr {

/// Restarts the random numbers of a call of random() or uuid(): with one thread, each row gets the
/// same number for the same seed. Without a seed they differ from run to run.
void seed_random(const Expr& call, uint64_t seed);

}  // namespace lanewise::expr
