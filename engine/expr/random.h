#pragma once

#include "expr/expr.h"

namespace lanewise::expr {

/// Makes the random numbers of a call of random() or uuid() start again: with one thread each row gets the
/// same as with the same seed before. Without it they differ from run to run.
void seed_random(const Expr& call, uint64_t seed);

}  // namespace lanewise::expr
