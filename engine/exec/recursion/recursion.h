#pragma once

#include <functional>

#include "base/cancel.h"
#include "base/memory.h"
#include "plan/node.h"

namespace lanewise::exec {

/// Replaces the plan's Recursion nodes by rows. run(plan) is called for the anchor, then for the step
/// over the rows of the previous call, until a call returns none.
plan::NodePtr without_recursion(const plan::NodePtr& root,
                                const std::function<Table(const plan::NodePtr&)>& run, MemoryBudget* budget,
                                const Cancellation* cancellation);

}  // namespace lanewise::exec
