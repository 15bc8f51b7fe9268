#include <algorithm>

#include "ops/collect/gpu/collect_sink.h"
#include "ops/limit/limit.h"
#include "ops/operator.h"
#include "ops/work/work.h"

namespace lanewise::ops {

namespace {

const plan::Limit& limit_of(const plan::Pipeline& pipeline) {
  return std::get<plan::Limit>(pipeline.sink->payload);
}

class LimitOperator : public SinkOperator {
 public:
  std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const override {
    const plan::Limit& limit = limit_of(pipeline);
    return std::make_unique<Limit>(pipeline.input, limit.limit, limit.offset);
  }
  std::unique_ptr<DeviceSink> open_on_device(const plan::Pipeline& pipeline) const override {
    const plan::Limit& limit = limit_of(pipeline);
    return std::make_unique<CollectSink>(pipeline.input, limit.offset, limit.limit);
  }
  double add_work(Work& work, const plan::Pipeline& pipeline, double rows) const override {
    const plan::Limit& limit = limit_of(pipeline);
    const auto needed = static_cast<double>(limit.limit + limit.offset);
    if (limit.limit >= 0) work.host_share *= std::min(1.0, needed / std::max(rows, 1.0));
    return limited(rows, limit.limit, limit.offset);
  }
};

}  // namespace

const SinkOperator& limit_operator() {
  static const LimitOperator limit;
  return limit;
}

}  // namespace lanewise::ops
