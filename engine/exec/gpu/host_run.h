#pragma once

#include "exec/pipeline/options.h"
#include "plan/node.h"

namespace lanewise::exec {

/// What the plan gives on the CPU: for parts of a pipeline that came to the host.
Table run_on_host(const plan::NodePtr& plan, const Options& options);

}  // namespace lanewise::exec
