#pragma once

#include "ops/operator.h"

namespace lanewise::codegen {
class ProgramMaker;
}  // namespace lanewise::codegen

namespace lanewise::ops {

/// The node Join, for rows of its left child.
const StepOperator& join_operator();
/// The node Join, for rows of its right child: the end of their pipeline.
const SinkOperator& build_operator();

/// Begins a program over the rows of a build side that have a match or, for some kinds of joins, have none.
void begin_marked_rows(const plan::Node& join, codegen::ProgramMaker& program);

}  // namespace lanewise::ops
