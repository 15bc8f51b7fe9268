#include "ops/collect/gpu/collect_sink.h"

#include "ops/collect/gpu/collect.h"
#include "ops/collect/gpu/column_kernels.h"

namespace lanewise::ops {

namespace {

class CollectRun : public SinkRun {
 public:
  CollectRun(Collector collector, Goal goal) : collector_(std::move(collector)), goal_(goal) {}

  bool wants_more() const override { return collector_.wants_more(); }
  void take(BranchRun& run, bool only) override {
    run.narrow(true);
    collector_.set_destination(destination(goal_, only));
    collector_.take(run);
  }
  bool make_room() override { return collector_.make_room(); }
  uint64_t came() const override { return collector_.seen(); }
  SinkResult finish(const Schema& output) override {
    if (goal_ == Goal::kLaterPipelines) collector_.bring_few();
    return {{output, collector_.take()}, collector_.take_kept()};
  }

 private:
  Collector collector_;
  const Goal goal_;
};

}  // namespace

std::unique_ptr<SinkKernels> CollectSink::kernels(const codegen::KernelBuilder& builder) const {
  return std::make_unique<ColumnKernels>(builder);
}

std::unique_ptr<SinkRun> CollectSink::start(const Setting& setting) const {
  return std::make_unique<CollectRun>(Collector(schema_, setting.options, setting.gpu, {offset_, limit_}),
                                      setting.goal);
}

}  // namespace lanewise::ops
