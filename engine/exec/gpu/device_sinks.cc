#include "exec/gpu/device_sinks.h"

#include <string>

#include "exec/gpu/aggregate/row_sink.h"
#include "exec/gpu/aggregate/state_sink.h"
#include "exec/gpu/collect/build_sink.h"
#include "exec/gpu/collect/collect_sink.h"
#include "exec/gpu/groups/group_sink.h"
#include "exec/gpu/sort/sort_sink.h"
#include "expr/codegen/emitter.h"

namespace lanewise::exec {

namespace {

/// Distinct values are sorted as one column.
void refuse_distinct_pairs(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (is_distinct(call) && call.args.size() > 1 && call.args[1]->kind != Expr::Kind::kLiteral)
      throw expr::NotOnDevice(call.function + " of distinct pairs is not supported on GPUs");
  }
}

std::unique_ptr<DeviceSink> aggregation(const plan::Aggregate& aggregate) {
  refuse_distinct_pairs(aggregate);
  if (RowSink::takes(aggregate)) return std::make_unique<RowSink>(aggregate);
  if (StateSink::takes(aggregate)) return std::make_unique<StateSink>(aggregate);
  return std::make_unique<GroupSink>(aggregate);
}

}  // namespace

std::unique_ptr<DeviceSink> device_sink(const Pipeline& pipeline) {
  const plan::Node* const sink = pipeline.sink;
  const Schema& rows = pipeline.input;
  if (sink == nullptr) return std::make_unique<CollectSink>(rows);
  if (const auto* limit = std::get_if<plan::Limit>(&sink->payload))
    return std::make_unique<CollectSink>(rows, limit->offset, limit->limit);
  if (const auto* sort = std::get_if<plan::Sort>(&sink->payload))
    return std::make_unique<SortSink>(*sort, rows);
  if (const auto* join = std::get_if<plan::Join>(&sink->payload))
    return std::make_unique<BuildSink>(*join, sink->children[0]->schema, rows);
  if (const auto* aggregate = std::get_if<plan::Aggregate>(&sink->payload)) return aggregation(*aggregate);
  if (std::holds_alternative<plan::Distinct>(sink->payload)) return std::make_unique<GroupSink>(rows);
  throw expr::NotOnDevice(std::string("the operator ") + plan::name(sink->payload) +
                          " is not supported on GPUs");
}

}  // namespace lanewise::exec
