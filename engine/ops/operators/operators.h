#pragma once

#include "ops/operator.h"

namespace lanewise::ops {

/// The operator at the pipeline's end. That of a step is step_operator().
const SinkOperator& sink_operator(const plan::Pipeline& pipeline);

}  // namespace lanewise::ops
