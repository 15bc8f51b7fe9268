#pragma once

#include "ops/operator.h"

namespace lanewise::ops {

/// The operator of a StepNode. Throws InternalError for others.
const StepOperator& step_operator(const plan::Node& node);
/// The operator at the pipeline's end.
const SinkOperator& sink_operator(const plan::Pipeline& pipeline);

}  // namespace lanewise::ops
