#include "exec/gpu/branch/section_sources.h"

#include "exec/gpu/join/split_kernels.h"
#include "exec/gpu/rows/row_kernels.h"

namespace lanewise::exec {

SectionSources::SectionSources(const Program& program, const DeviceSink& sink, std::vector<size_t> columns,
                               std::vector<ColumnForm> forms, const Strategy& strategy, size_t section)
    : builder_(std::make_unique<const KernelBuilder>(program, sink.form(), std::move(columns),
                                                     std::move(forms), strategy, section)),
      sink_(builder_->is_last() ? sink.kernels(*builder_) : nullptr),
      split_places_(exec::split_places(*builder_)) {}

std::vector<KernelText> SectionSources::texts() const {
  if (is_last()) return sink_->texts();
  std::vector<KernelText> texts;
  add_narrowing(texts, *builder_, builder_->section().end);
  return texts;
}

}  // namespace lanewise::exec
