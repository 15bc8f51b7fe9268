#include "exec/gpu/branch/section_sources.h"

#include "exec/gpu/aggregate/aggregate_kernels.h"
#include "exec/gpu/join/split_kernels.h"
#include "exec/gpu/rows/row_kernels.h"

namespace lanewise::exec {

SectionSources::SectionSources(const Program& program, const DeviceSink& sink, std::vector<size_t> columns,
                               std::vector<ColumnForm> forms, const Strategy& strategy, size_t section)
    : sink_(sink),
      builder_(std::make_unique<const KernelBuilder>(program, sink.form(), std::move(columns),
                                                     std::move(forms), strategy, section)),
      split_places_(exec::split_places(*builder_)) {
  if (!builder_->is_last()) return;
  if (sink.groups) groups_.emplace(*builder_, *sink.groups);
  if (sink.sort != nullptr) sort_.emplace(*builder_, *sink.sort);
}

std::vector<KernelText> SectionSources::texts() const {
  std::vector<KernelText> texts;
  if (!builder_->is_last()) {
    add_narrowing(texts, *builder_, builder_->section().end);
  } else if (groups_) {
    groups_->add_to(texts);
  } else if (sink_.aggregates_rows) {
    add_aggregate_kernels(texts, *builder_, sink_.aggregates);
  } else {
    add_columns(texts);
  }
  return texts;
}

/// `project`, whose outputs are the rows' columns.
void SectionSources::add_columns(std::vector<KernelText>& texts) const {
  const Program& program = builder_->program();
  add_narrowing(texts, *builder_, program.stages.size());
  KernelText rest{builder_->begin(sort_ ? "#include \"exec/gpu/codegen/order-inl.h\"\n" : ""), {}, ""};
  if (sort_) sort_->add_to(rest);
  const size_t outputs = sink_.form().outputs.value_or(program.outputs.size());
  const std::vector<ExprPtr> rows(program.outputs.begin(),
                                  program.outputs.begin() + static_cast<ptrdiff_t>(outputs));
  std::vector<Type> types;
  for (const ExprPtr& output : rows) types.push_back(output->type);
  add_project_kernel(rest, *builder_,
                     {.read = rows,
                      .types = types,
                      .begin = "bool failed = false;",
                      .output = [&](expr::Emitter& out, size_t o) { return out.emit(*program.outputs[o]); }});
  texts.push_back(std::move(rest));
}

}  // namespace lanewise::exec
