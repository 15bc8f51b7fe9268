#include "ops/gpu/branch/section_sources.h"

#include "ops/gpu/rows/row_kernels.h"
#include "ops/join/gpu/split_kernels.h"

namespace lanewise::ops {

SectionSources::SectionSources(const codegen::Program& program, const DeviceSink& sink,
                               std::vector<size_t> columns, std::vector<codegen::ColumnForm> forms,
                               const codegen::Strategy& strategy, size_t section)
    : builder_(std::make_unique<const codegen::KernelBuilder>(program, sink.form(), std::move(columns),
                                                              std::move(forms), strategy, section)),
      sink_(builder_->is_last() ? sink.kernels(*builder_) : nullptr),
      split_places_(ops::split_places(*builder_)) {}

std::vector<codegen::KernelText> SectionSources::texts() const {
  if (is_last()) return sink_->texts();
  std::vector<codegen::KernelText> texts;
  add_narrowing(texts, *builder_, builder_->section().end);
  return texts;
}

}  // namespace lanewise::ops
