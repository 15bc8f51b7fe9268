#pragma once

#include "ops/run/options.h"
#include "plan/node.h"

namespace lanewise::ops {

/// Partial groups – keys, a value, how many rows have it – become groups with a median or quantile in the
/// value's place. `keys` are columns in front; NULLs have no rank, and are the result of groups that have
/// nothing else.
Table values_at_ranks(Table partial, size_t keys, const plan::AggregateCall& call, const Options& options);

}  // namespace lanewise::ops
