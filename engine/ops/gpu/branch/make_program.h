#pragma once

#include "codegen/program.h"
#include "codegen/sink_form.h"
#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::ops {

/// `results` are those of earlier pipelines, which joins read; ScalarJoins throw UserError where they have
/// more than one row. The outputs are the sink's expressions over the rows that come to it (null stays
/// null), or those rows themselves where it has none. Groups of plain columns have a stage of their own,
/// without predicates: its kernel, long to compile, is the same whatever is filtered, and may be compiled
/// ahead. So have other aggregates of plain columns where what filters is long itself. Throws
/// expr::NotOnDevice that names the pattern which cannot be matched, or the join that is not offered.
codegen::Program make_program(const plan::Branch& branch, const codegen::SinkForm& sink,
                              const Results& results);

}  // namespace lanewise::ops
