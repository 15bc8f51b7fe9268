#include "exec/open_operators.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ops/aggregate/aggregate.h"
#include "ops/collect/collect.h"
#include "ops/filter/filter.h"
#include "ops/join/build.h"
#include "ops/limit/limit.h"
#include "ops/project/project.h"
#include "ops/sort/sort.h"
#include "ops/window/window.h"

namespace lanewise::exec {

std::unique_ptr<ops::Step> open_step(const plan::Node& node) {
  const plan::Payload& payload = node.payload;
  if (const auto* filter = std::get_if<plan::Filter>(&payload)) {
    return std::make_unique<ops::Filter>(std::vector<ExprPtr>{filter->predicate});
  }
  if (const auto* project = std::get_if<plan::Project>(&payload))
    return std::make_unique<ops::Project>(project->exprs);
  throw InternalError(fmt::format("{} is not a streaming step", plan::name(payload)));
}

std::unique_ptr<ops::Sink> open_sink(const Pipeline& pipeline) {
  if (pipeline.sink == nullptr) return std::make_unique<ops::Collect>(pipeline.input, "Result");
  const plan::Payload& payload = pipeline.sink->payload;
  if (const auto* join = std::get_if<plan::Join>(&payload)) {
    const auto& children = pipeline.sink->children;
    return std::make_unique<ops::BuildSink>(*join, children[0]->schema, children[1]->schema);
  }
  if (const auto* limit = std::get_if<plan::Limit>(&payload)) {
    return std::make_unique<ops::Limit>(pipeline.input, limit->limit, limit->offset);
  }
  if (const auto* aggregate = std::get_if<plan::Aggregate>(&payload)) {
    return ops::make_aggregate(*aggregate, pipeline.input, pipeline.output);
  }
  if (const auto* sort = std::get_if<plan::Sort>(&payload)) return ops::make_sort(*sort, pipeline.input);
  if (const auto* window = std::get_if<plan::Window>(&payload))
    return ops::make_window(*window, pipeline.input, pipeline.output);
  if (std::holds_alternative<plan::Distinct>(payload)) {  // groups without aggregates
    plan::Aggregate groups;
    for (size_t i = 0; i < pipeline.input.size(); ++i)
      groups.keys.push_back(column(i, pipeline.input[i].type));
    return ops::make_aggregate(groups, pipeline.input, pipeline.output);
  }
  throw InternalError(fmt::format("{} is not a sink", plan::name(payload)));
}

}  // namespace lanewise::exec
