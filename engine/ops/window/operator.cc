#include "ops/operator.h"
#include "ops/window/window.h"

namespace lanewise::ops {

namespace {

const plan::Window& window_of(const plan::Pipeline& pipeline) {
  return std::get<plan::Window>(pipeline.sink->payload);
}

class WindowOperator : public SinkOperator {
 public:
  std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const override {
    return make_window(window_of(pipeline), pipeline.input, pipeline.output);
  }
  std::vector<ExprPtr> expressions(const plan::Pipeline& pipeline) const override {
    std::vector<ExprPtr> exprs = window_of(pipeline).partition;
    for (const plan::SortKey& key : window_of(pipeline).order) exprs.push_back(key.expr);
    return exprs;
  }
};

}  // namespace

const SinkOperator& window_operator() {
  static const WindowOperator window;
  return window;
}

}  // namespace lanewise::ops
