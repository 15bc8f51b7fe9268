#include "ops/operator.h"
#include "ops/collect/collect.h"
#include "ops/collect/gpu/collect_sink.h"

namespace lanewise::ops {

namespace {

class CollectOperator : public SinkOperator {
 public:
  std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const override {
    return std::make_unique<Collect>(pipeline.input, "Result");
  }
  std::unique_ptr<DeviceSink> open_on_device(const plan::Pipeline& pipeline) const override {
    return std::make_unique<CollectSink>(pipeline.input);
  }
};

}  // namespace

const SinkOperator& collect_operator() {
  static const CollectOperator collect;
  return collect;
}

}  // namespace lanewise::ops
