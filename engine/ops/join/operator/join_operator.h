#pragma once

#include "ops/operator.h"

namespace lanewise::ops {

/// The node Join, for rows of its left child.
const StepOperator& join_operator();
/// The node Join, for rows of its right child: the end of their pipeline.
const SinkOperator& build_operator();

/// Begins a program over the rows of a build side without a match or, for kRightSemi, with one. Its rows are
/// those of the join's result, NULL for the columns of the left child.
void begin_marked_rows(const plan::Node& node, codegen::ProgramMaker& program);

}  // namespace lanewise::ops
