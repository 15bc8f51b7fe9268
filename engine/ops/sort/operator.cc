#include <algorithm>

#include "ops/operator.h"
#include "ops/sort/gpu/sort_sink.h"
#include "ops/sort/sort.h"
#include "ops/work/work.h"

namespace lanewise::ops {

namespace {

const plan::Sort& sort_of(const plan::Pipeline& pipeline) {
  return std::get<plan::Sort>(pipeline.sink->payload);
}

class SortOperator : public SinkOperator {
 public:
  std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const override {
    return make_sort(sort_of(pipeline), pipeline.input);
  }
  std::unique_ptr<DeviceSink> open_on_device(const plan::Pipeline& pipeline) const override {
    return std::make_unique<SortSink>(sort_of(pipeline), pipeline.input);
  }
  std::vector<ExprPtr> expressions(const plan::Pipeline& pipeline) const override {
    std::vector<ExprPtr> exprs;
    for (const plan::SortKey& key : sort_of(pipeline).keys) exprs.push_back(key.expr);
    return exprs;
  }
  double add_work(Work& work, const plan::Pipeline& pipeline, double rows) const override {
    const plan::Sort& sort = sort_of(pipeline);
    double keys = 0;
    for (const plan::SortKey& key : sort.keys) keys += words(key.expr->type);
    // If few of many rows are needed, only candidates are sorted.
    const auto needed = static_cast<double>(sort.limit + sort.offset);
    work.sorted += keys * (sort.limit < 0 ? rows : std::min(rows, needed));
    return limited(rows, sort.limit, sort.offset);
  }
};

}  // namespace

const SinkOperator& sort_operator() {
  static const SortOperator sort;
  return sort;
}

}  // namespace lanewise::ops
