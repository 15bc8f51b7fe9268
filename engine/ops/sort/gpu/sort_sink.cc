#include "ops/sort/gpu/sort_sink.h"

#include "ops/sort/gpu/sort_kernels.h"
#include "ops/sort/gpu/sort_run.h"

namespace lanewise::ops {

SortSink::SortSink(const plan::Sort& sort, const Schema& rows) : sort_(sort), rows_(rows) {
  for (size_t i = 0; i < rows.size(); ++i) expressions_.push_back(column(i, rows[i].type));
  for (const plan::SortKey& key : sort.keys) expressions_.push_back(key.expr);
}

std::unique_ptr<SinkKernels> SortSink::kernels(const codegen::KernelBuilder& builder) const {
  return std::make_unique<SortKernels>(builder, sort_);
}

std::unique_ptr<SinkRun> SortSink::start(const Setting& setting) const {
  return std::make_unique<SortRun>(sort_, rows_, setting);
}

}  // namespace lanewise::ops
