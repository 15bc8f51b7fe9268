#include "exec/gpu/make_program.h"

#include "codegen/program_maker.h"
#include "expr/codegen/traits.h"
#include "ops/join/operator/join_operator.h"
#include "ops/operators/operators.h"

namespace lanewise::exec {

namespace {

/// Devices have no columns of nested types.
void require_plain(const Schema& schema) {
  for (const Field& field : schema) {
    if (field.type.is_nested())
      throw expr::NotOnDevice("columns of type " + field.type.name() + " are not supported on GPUs");
  }
}

}  // namespace

codegen::Program make_program(const plan::Branch& branch, const codegen::SinkForm& sink,
                              const ops::Results& results) {
  codegen::ProgramMaker program;
  require_plain(branch.schema);
  if (const auto* marked = std::get_if<plan::MarkedRowsOf>(&branch.input)) {
    ops::begin_marked_rows(*marked->join, program);
  } else {
    for (const Field& field : branch.schema) program.add_column(field.type);
  }
  if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) program.filter((*scan)->predicates);
  for (const plan::StepSpec& step : branch.steps) {
    require_plain(step.node->schema);
    ops::step_operator(*step.node).add_to(program, step, ops::read_by(step, results));
  }
  return program.finish(sink);
}

}  // namespace lanewise::exec
