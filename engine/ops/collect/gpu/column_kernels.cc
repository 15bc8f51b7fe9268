#include "ops/collect/gpu/column_kernels.h"

#include "ops/gpu/rows/row_kernels.h"

namespace lanewise::ops {

std::vector<codegen::KernelText> ColumnKernels::texts(
    const std::string& headers, const std::function<void(codegen::KernelText&)>& add_more) const {
  const codegen::Program& program = builder_.program();
  std::vector<codegen::KernelText> texts;
  add_narrowing(texts, builder_, program.stages.size());
  codegen::KernelText rest{builder_.begin(headers), {}, ""};
  add_more(rest);
  const size_t outputs = builder_.sink().outputs.value_or(program.outputs.size());
  const std::vector<ExprPtr> rows(program.outputs.begin(),
                                  program.outputs.begin() + static_cast<ptrdiff_t>(outputs));
  std::vector<Type> types;
  for (const ExprPtr& output : rows) types.push_back(output->type);
  add_project_kernel(rest, builder_,
                     {.read = rows,
                      .types = types,
                      .begin = "bool failed = false;",
                      .output = [&](expr::Emitter& out, size_t o) { return out.emit(*program.outputs[o]); }});
  texts.push_back(std::move(rest));
  return texts;
}

}  // namespace lanewise::ops
