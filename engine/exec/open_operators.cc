#include "exec/open_operators.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ops/aggregate/aggregate.h"
#include "ops/collect/collect.h"
#include "ops/filter/filter.h"
#include "ops/join/build.h"
#include "ops/join/probe.h"
#include "ops/limit/limit.h"
#include "ops/project/project.h"
#include "ops/scalar_join/scalar_join.h"
#include "ops/sort/sort.h"
#include "ops/unnest/unnest.h"
#include "ops/window/window.h"

namespace lanewise::exec {

StreamingOperator open_step(const StepSpec& step, const Results& results) {
  const plan::Node& node = *step.node;
  const plan::Payload& payload = node.payload;
  if (const auto* filter = std::get_if<plan::Filter>(&payload))
    return {std::make_unique<ops::Filter>(std::vector<ExprPtr>{filter->predicate}), nullptr};
  if (const auto* project = std::get_if<plan::Project>(&payload))
    return {std::make_unique<ops::Project>(project->exprs), nullptr};
  if (const auto* scalar = std::get_if<plan::ScalarJoin>(&payload))
    return {std::make_unique<ops::ScalarJoin>(results[step.result].table, scalar->message), nullptr};
  if (const auto* unnest = std::get_if<plan::Unnest>(&payload))
    return {nullptr, std::make_unique<ops::Unnest>(unnest->lists, unnest->kept)};
  if (const auto* join = std::get_if<plan::Join>(&payload)) {
    ops::Probe probe = ops::make_probe(*join, node.children[0]->schema, node.children[1]->schema,
                                       build_of(results, step.result, step.part));
    return {std::move(probe.step), std::move(probe.expander)};
  }
  throw InternalError(fmt::format("{} is not a streaming step", plan::name(payload)));
}

std::shared_ptr<const ops::Build> build_of(const Results& results, size_t pipeline, size_t part) {
  if (part != kNoPart) return results[pipeline].parts->open(part);
  if (results[pipeline].build == nullptr) throw InternalError("a join's build side is whole when it is read");
  return results[pipeline].build;
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
