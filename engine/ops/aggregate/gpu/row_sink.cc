#include "ops/aggregate/gpu/row_sink.h"

#include <algorithm>
#include <utility>

#include "ops/aggregate/gpu/aggregates.h"
#include "ops/collect/gpu/collect.h"
#include "ops/collect/gpu/column_kernels.h"

namespace lanewise::ops {

namespace {

class RowRun : public SinkRun {
 public:
  RowRun(const RowAggregation& rows, const DeviceSink::Setting& setting)
      : rows_(rows), options_(setting.options), collector_(rows.schema(), setting.options, setting.gpu) {}

  void take(BranchRun& run, bool /*only*/) override {
    run.narrow(true);
    collector_.take(run);
  }
  uint64_t came() const override { return collector_.seen(); }
  SinkResult finish(const Schema& output) override {
    return {rows_.finish({rows_.schema(), collector_.take()}, output, options_)};
  }

 private:
  const RowAggregation& rows_;
  const Options& options_;
  Collector collector_;
};

}  // namespace

bool RowSink::takes(const plan::Aggregate& aggregate) {
  return std::ranges::any_of(aggregate.aggregates, needs_rows);
}

std::unique_ptr<SinkKernels> RowSink::kernels(const codegen::KernelBuilder& builder) const {
  return std::make_unique<ColumnKernels>(builder);
}

std::unique_ptr<SinkRun> RowSink::start(const Setting& setting) const {
  return std::make_unique<RowRun>(rows_, setting);
}

}  // namespace lanewise::ops
