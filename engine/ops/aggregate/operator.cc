#include "ops/operator.h"
#include "expr/codegen/traits.h"
#include "ops/aggregate/aggregate.h"
#include "ops/aggregate/gpu/aggregates.h"
#include "ops/aggregate/gpu/groups/group_sink.h"
#include "ops/aggregate/gpu/row_sink.h"
#include "ops/work/work.h"

namespace lanewise::ops {

namespace {

const plan::Aggregate& aggregate_of(const plan::Pipeline& pipeline) {
  return std::get<plan::Aggregate>(pipeline.sink->payload);
}

/// Distinct values are sorted as one column.
void refuse_distinct_pairs(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (is_distinct(call) && call.args.size() > 1 && call.args[1]->kind != Expr::Kind::kLiteral)
      throw expr::NotOnDevice(call.function + " of distinct pairs is not supported on GPUs");
  }
}

class AggregateOperator : public SinkOperator {
 public:
  std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const override {
    return make_aggregate(aggregate_of(pipeline), pipeline.input, pipeline.output);
  }
  std::unique_ptr<DeviceSink> open_on_device(const plan::Pipeline& pipeline) const override {
    const plan::Aggregate& aggregate = aggregate_of(pipeline);
    refuse_distinct_pairs(aggregate);
    if (RowSink::takes(aggregate)) return std::make_unique<RowSink>(aggregate);
    return std::make_unique<GroupSink>(aggregate);
  }
  std::vector<ExprPtr> expressions(const plan::Pipeline& pipeline) const override {
    std::vector<ExprPtr> exprs = aggregate_of(pipeline).keys;
    for (const plan::AggregateCall& call : aggregate_of(pipeline).aggregates) {
      exprs.insert(exprs.end(), call.args.begin(), call.args.end());
      exprs.push_back(call.filter);
    }
    return exprs;
  }
  double add_work(Work& work, const plan::Pipeline& pipeline, double rows) const override {
    const plan::Aggregate& aggregate = aggregate_of(pipeline);
    work.computed += rows * static_cast<double>(aggregate.aggregates.size());
    double keys = 0;
    for (const ExprPtr& key : aggregate.keys) keys += words(key->type);
    double grouped = keys;
    for (const plan::AggregateCall& call : aggregate.aggregates) {
      if (call.distinct) grouped += keys + words(call.args[0]->type);
    }
    add_groups(work, *pipeline.sink, rows, grouped);
    return aggregate.keys.empty() ? 1 : groups_of(*pipeline.sink, rows);
  }
};

class DistinctOperator : public SinkOperator {
 public:
  std::unique_ptr<Sink> open(const plan::Pipeline& pipeline) const override {
    plan::Aggregate groups;
    for (size_t i = 0; i < pipeline.input.size(); ++i)
      groups.keys.push_back(column(i, pipeline.input[i].type));
    return make_aggregate(groups, pipeline.input, pipeline.output);
  }
  std::unique_ptr<DeviceSink> open_on_device(const plan::Pipeline& pipeline) const override {
    return std::make_unique<GroupSink>(pipeline.input);
  }
  double add_work(Work& work, const plan::Pipeline& pipeline, double rows) const override {
    double keys = 0;
    for (const Field& field : pipeline.input) keys += words(field.type);
    add_groups(work, *pipeline.sink, rows, keys);
    return groups_of(*pipeline.sink, rows);
  }
};

}  // namespace

const SinkOperator& aggregate_operator() {
  static const AggregateOperator aggregate;
  return aggregate;
}

const SinkOperator& distinct_operator() {
  static const DistinctOperator distinct;
  return distinct;
}

}  // namespace lanewise::ops
