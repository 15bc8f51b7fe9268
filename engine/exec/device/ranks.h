#pragma once

#include "exec/execute.h"

namespace lanewise::exec {

/// Of partial groups – keys, a value, how many rows have it – those whose values a median or a quantile is
/// made of: one or two rows of each group, the same one twice where it has both ranks. `keys` are columns in
/// front; NULLs have no rank, and stand for groups that have nothing else.
Table rows_at_ranks(Table partial, size_t keys, const plan::AggregateCall& call, const Options& options);

}  // namespace lanewise::exec
