#pragma once

#include <functional>

#include "base/cancel.h"
#include "plan/node.h"

namespace lanewise::exec {

/// The plan with rows in place of its Recursion nodes. run(plan) is called for the anchor, then for the step
/// over the rows of the previous call, until there are none.
plan::NodePtr without_recursion(const plan::NodePtr& root,
                                const std::function<Table(const plan::NodePtr&)>& run,
                                const Cancellation* cancellation);

}  // namespace lanewise::exec
