#include "exec/device/device_sink.h"

#include <string>

#include "expr/device/emitter.h"

namespace lanewise::exec {

DeviceSink::DeviceSink(const plan::Node* sink) {
  if (sink == nullptr) return;
  if (const auto* node = std::get_if<plan::Limit>(&sink->payload)) {
    offset = node->offset;
    limit = node->limit;
    return;
  }
  const auto* aggregate = std::get_if<plan::Aggregate>(&sink->payload);
  if (aggregate == nullptr)
    throw expr::NotOnDevice(std::string("the operator ") + plan::name(sink->payload) +
                            " is not offered on devices");
  if (!aggregate->keys.empty()) throw expr::NotOnDevice("GROUP BY is not offered on devices");
  aggregates_rows = true;
  for (const plan::AggregateCall& call : aggregate->aggregates) {
    aggregates.push_back(device_aggregate(call));
    inputs.push_back(call.args.empty() ? nullptr : call.args[0]);
    inputs.push_back(call.filter);
  }
}

}  // namespace lanewise::exec
