#pragma once

#include <memory>

#include "ops/sink.h"
#include "plan/node.h"

namespace lanewise::ops {

class SinkOperator;

/// GROUP BY, and aggregates without it (exactly one row). The output is unordered.
/// Throws InternalError if a call's function or types are not in the table of aggregate functions, and
/// UserError for constants that a function does not accept.
std::unique_ptr<Sink> make_aggregate(const plan::Aggregate& aggregate, const Schema& input,
                                     const Schema& output);

/// The node Aggregate.
const SinkOperator& aggregate_operator();
/// The node Distinct: groups without aggregates.
const SinkOperator& distinct_operator();

}  // namespace lanewise::ops
