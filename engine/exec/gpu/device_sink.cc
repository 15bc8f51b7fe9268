#include "exec/gpu/device_sink.h"

#include <algorithm>
#include <string>

#include "expr/gpu/emitter.h"
#include "ops/join/build.h"

namespace lanewise::exec {

namespace {

/// Aggregates without keys that blocks have no state for: there is one group, of all rows.
bool needs_groups(const plan::Aggregate& aggregate) {
  return std::any_of(aggregate.aggregates.begin(), aggregate.aggregates.end(),
                     [](const plan::AggregateCall& call) {
                       return is_distinct(call) || is_ranked(call) || pick_of(call) ||
                              call.type.id == TypeId::kInterval || device_aggregate(call).finish == nullptr;
                     });
}

/// Distinct values are sorted as one column.
void refuse_distinct_pairs(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (is_distinct(call) && call.args.size() > 1 && call.args[1]->kind != Expr::Kind::kLiteral)
      throw expr::NotOnDevice(call.function + " of distinct pairs is not supported on GPUs");
  }
}

}  // namespace

DeviceSink::DeviceSink(const plan::Node* sink, const Schema& input) {
  if (sink == nullptr) return;
  if (const auto* node = std::get_if<plan::Limit>(&sink->payload)) {
    offset = node->offset;
    limit = node->limit;
    return;
  }
  if (const auto* node = std::get_if<plan::Sort>(&sink->payload)) {
    sort = node;
    for (size_t i = 0; i < input.size(); ++i) expressions_.push_back(column(i, input[i].type));
    for (const plan::SortKey& key : node->keys) expressions_.push_back(key.expr);
    return;
  }
  if (const auto* node = std::get_if<plan::Join>(&sink->payload)) {
    if (node->keys.empty()) throw expr::NotOnDevice("joins without an equality are not supported on GPUs");
    build = node;
    const ops::JoinColumns columns(*node, sink->children[0]->schema, input);
    for (const size_t kept : columns.kept) expressions_.push_back(column(kept, input[kept].type));
    for (const plan::JoinKey& key : node->keys) expressions_.push_back(key.right);
    return;
  }
  const auto* aggregate = std::get_if<plan::Aggregate>(&sink->payload);
  if (aggregate != nullptr) refuse_distinct_pairs(*aggregate);
  if (std::holds_alternative<plan::Distinct>(sink->payload)) {
    groups.emplace(input);
  } else if (aggregate == nullptr) {
    throw expr::NotOnDevice(std::string("the operator ") + plan::name(sink->payload) +
                            " is not supported on GPUs");
  } else if (std::any_of(aggregate->aggregates.begin(), aggregate->aggregates.end(), needs_rows)) {
    rows.emplace(*aggregate);
    expressions_ = rows->columns();
  } else if (!aggregate->keys.empty() || needs_groups(*aggregate)) {
    groups.emplace(*aggregate);
  } else {
    aggregates_rows = true;
    for (const plan::AggregateCall& call : aggregate->aggregates) {
      aggregates.push_back(device_aggregate(call));
      expressions_.insert(expressions_.end(), {call.args.empty() ? nullptr : call.args[0], call.filter});
    }
  }
  if (!groups) return;
  for (const ExprPtr& key : groups->keys()) expressions_.insert(expressions_.end(), {key, nullptr});
  for (const GroupPlan::Input& in : groups->inputs())
    expressions_.insert(expressions_.end(), {in.arg, in.filter});
}

SinkForm DeviceSink::form() const {
  using Takes = SinkForm::Takes;
  if (groups) return {Takes::kGroups, expressions(), groups->partial().size()};
  if (aggregates_rows) return {Takes::kStates, expressions(), 0};
  SinkForm form{Takes::kColumns, expressions()};
  if (sort != nullptr) form.outputs = expressions_.size() - sort->keys.size();
  return form;
}

}  // namespace lanewise::exec
