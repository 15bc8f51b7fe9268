#pragma once

#include "exec/gpu/codegen/program.h"
#include "exec/gpu/codegen/sink_form.h"
#include "exec/pipeline/pipeline.h"
#include "exec/results/results.h"

namespace lanewise::exec {

/// `results` are those of earlier pipelines, which joins read; ScalarJoins throw UserError where they have
/// more than one row. The outputs are the sink's expressions over the rows that come to it (null stays
/// null), or those rows themselves where it has none. Groups of plain columns have a stage of their own,
/// without predicates: its kernel, long to compile, is the same whatever is filtered, and may be compiled
/// ahead. So have other aggregates of plain columns where what filters is long itself. Throws
/// expr::NotOnDevice that names the pattern which cannot be matched, or the join that is not offered.
Program make_program(const Branch& branch, const SinkForm& sink, const Results& results);

}  // namespace lanewise::exec
