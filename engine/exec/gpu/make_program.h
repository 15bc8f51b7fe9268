#pragma once

#include "codegen/program.h"
#include "codegen/sink_form.h"
#include "ops/results/results.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// `results` are those of earlier pipelines, which steps read; a ScalarJoin throws UserError if its result
/// has more than one row. Throws expr::NotOnDevice that names a step, a type or a pattern.
codegen::Program make_program(const plan::Branch& branch, const codegen::SinkForm& sink,
                              const ops::Results& results);

}  // namespace lanewise::exec
