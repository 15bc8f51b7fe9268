#include "exec/device/device_sink.h"

#include <string>

#include "expr/device/emitter.h"

namespace lanewise::exec {

DeviceSink::DeviceSink(const plan::Node* sink, const Schema& input) {
  if (sink == nullptr) return;
  if (const auto* node = std::get_if<plan::Limit>(&sink->payload)) {
    offset = node->offset;
    limit = node->limit;
    return;
  }
  const auto* aggregate = std::get_if<plan::Aggregate>(&sink->payload);
  if (std::holds_alternative<plan::Distinct>(sink->payload)) {
    groups.emplace(input);
  } else if (aggregate == nullptr) {
    throw expr::NotOnDevice(std::string("the operator ") + plan::name(sink->payload) +
                            " is not offered on devices");
  } else if (!aggregate->keys.empty()) {
    groups.emplace(*aggregate);
  } else {
    aggregates_rows = true;
    for (const plan::AggregateCall& call : aggregate->aggregates) {
      aggregates.push_back(device_aggregate(call));
      pairs_.insert(pairs_.end(), {call.args.empty() ? nullptr : call.args[0], call.filter});
    }
  }
  if (!groups) return;
  for (const ExprPtr& key : groups->keys()) pairs_.insert(pairs_.end(), {key, nullptr});
  for (const GroupPlan::Input& in : groups->inputs()) pairs_.insert(pairs_.end(), {in.arg, in.filter});
}

}  // namespace lanewise::exec
