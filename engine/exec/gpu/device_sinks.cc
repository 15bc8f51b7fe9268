#include "exec/gpu/device_sinks.h"

#include <string>

#include "expr/codegen/emitter.h"
#include "ops/aggregate/gpu/groups/group_sink.h"
#include "ops/aggregate/gpu/row_sink.h"
#include "ops/aggregate/gpu/state_sink.h"
#include "ops/collect/gpu/collect_sink.h"
#include "ops/join/gpu/build/build_sink.h"
#include "ops/sort/gpu/sort_sink.h"

namespace lanewise::exec {

namespace {

/// Distinct values are sorted as one column.
void refuse_distinct_pairs(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (ops::is_distinct(call) && call.args.size() > 1 && call.args[1]->kind != Expr::Kind::kLiteral)
      throw expr::NotOnDevice(call.function + " of distinct pairs is not supported on GPUs");
  }
}

std::unique_ptr<ops::DeviceSink> aggregation(const plan::Aggregate& aggregate) {
  refuse_distinct_pairs(aggregate);
  if (ops::RowSink::takes(aggregate)) return std::make_unique<ops::RowSink>(aggregate);
  if (ops::StateSink::takes(aggregate)) return std::make_unique<ops::StateSink>(aggregate);
  return std::make_unique<ops::GroupSink>(aggregate);
}

}  // namespace

std::unique_ptr<ops::DeviceSink> device_sink(const plan::Pipeline& pipeline) {
  const plan::Node* const sink = pipeline.sink;
  const Schema& rows = pipeline.input;
  if (sink == nullptr) return std::make_unique<ops::CollectSink>(rows);
  if (const auto* limit = std::get_if<plan::Limit>(&sink->payload))
    return std::make_unique<ops::CollectSink>(rows, limit->offset, limit->limit);
  if (const auto* sort = std::get_if<plan::Sort>(&sink->payload))
    return std::make_unique<ops::SortSink>(*sort, rows);
  if (const auto* join = std::get_if<plan::Join>(&sink->payload))
    return std::make_unique<ops::DeviceBuildSink>(*join, sink->children[0]->schema, rows);
  if (const auto* aggregate = std::get_if<plan::Aggregate>(&sink->payload)) return aggregation(*aggregate);
  if (std::holds_alternative<plan::Distinct>(sink->payload)) return std::make_unique<ops::GroupSink>(rows);
  throw expr::NotOnDevice(std::string("the operator ") + plan::name(sink->payload) +
                          " is not supported on GPUs");
}

}  // namespace lanewise::exec
