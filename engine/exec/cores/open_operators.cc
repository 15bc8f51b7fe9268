#include "exec/cores/open_operators.h"

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

StreamingOperator open_step(const plan::StepSpec& step, const ops::Results& results) {
  using Opened = StreamingOperator;
  const plan::Node& node = *step.node;
  return visit_step(
      node,
      [](const plan::Filter& filter) {
        return Opened{std::make_unique<ops::Filter>(std::vector<ExprPtr>{filter.predicate}), nullptr};
      },
      [](const plan::Project& project) {
        return Opened{std::make_unique<ops::Project>(project.exprs), nullptr};
      },
      [&](const plan::ScalarJoin& scalar) {
        return Opened{std::make_unique<ops::ScalarJoin>(results[step.result].table, scalar.message), nullptr};
      },
      [](const plan::Unnest& unnest) {
        return Opened{nullptr, std::make_unique<ops::Unnest>(unnest.lists, unnest.kept)};
      },
      [&](const plan::Join& join) {
        ops::Probe probe = ops::make_probe(join, node.children[0]->schema, node.children[1]->schema,
                                           build_of(results, step.result, step.part));
        return Opened{std::move(probe.step), std::move(probe.expander)};
      });
}

std::shared_ptr<const ops::Build> build_of(const ops::Results& results, size_t pipeline, size_t part) {
  if (part != plan::kNoPart) return results[pipeline].parts->open(part);
  if (results[pipeline].build == nullptr) throw InternalError("a join's build side is whole when it is read");
  return results[pipeline].build;
}

std::unique_ptr<ops::Sink> open_sink(const plan::Pipeline& pipeline) {
  if (pipeline.sink == nullptr) return std::make_unique<ops::Collect>(pipeline.input, "Result");
  using Opened = std::unique_ptr<ops::Sink>;
  const Schema &input = pipeline.input, &output = pipeline.output;
  const auto& children = pipeline.sink->children;
  return visit_sink(
      *pipeline.sink,
      [&](const plan::Join& join) -> Opened {
        return std::make_unique<ops::BuildSink>(join, children[0]->schema, children[1]->schema);
      },
      [&](const plan::Limit& limit) -> Opened {
        return std::make_unique<ops::Limit>(input, limit.limit, limit.offset);
      },
      [&](const plan::Aggregate& aggregate) -> Opened {
        return ops::make_aggregate(aggregate, input, output);
      },
      [&](const plan::Sort& sort) -> Opened { return ops::make_sort(sort, input); },
      [&](const plan::Window& window) -> Opened { return ops::make_window(window, input, output); },
      [&](const plan::Distinct&) -> Opened {  // groups without aggregates
        plan::Aggregate groups;
        for (size_t i = 0; i < input.size(); ++i) groups.keys.push_back(column(i, input[i].type));
        return ops::make_aggregate(groups, input, output);
      });
}

}  // namespace lanewise::exec
