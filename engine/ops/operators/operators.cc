#include "ops/operators/operators.h"

#include "ops/aggregate/aggregate.h"
#include "ops/collect/collect.h"
#include "ops/filter/filter.h"
#include "ops/join/operator/join_operator.h"
#include "ops/limit/limit.h"
#include "ops/project/project.h"
#include "ops/scalar_join/scalar_join.h"
#include "ops/sort/sort.h"
#include "ops/unnest/unnest.h"
#include "ops/window/window.h"

namespace lanewise::ops {

const StepOperator& step_operator(const plan::Node& node) {
  return *plan::visit_step(
      node,  //
      [](const plan::Filter&) { return &filter_operator(); },
      [](const plan::Project&) { return &project_operator(); },
      [](const plan::ScalarJoin&) { return &scalar_join_operator(); },
      [](const plan::Join&) { return &join_operator(); },
      [](const plan::Unnest&) { return &unnest_operator(); });
}

const SinkOperator& sink_operator(const plan::Pipeline& pipeline) {
  if (pipeline.sink == nullptr) return collect_operator();
  return *plan::visit_sink(
      *pipeline.sink,  //
      [](const plan::Aggregate&) { return &aggregate_operator(); },
      [](const plan::Sort&) { return &sort_operator(); },
      [](const plan::Limit&) { return &limit_operator(); },
      [](const plan::Distinct&) { return &distinct_operator(); },
      [](const plan::Window&) { return &window_operator(); },
      [](const plan::Join&) { return &build_operator(); });
}

}  // namespace lanewise::ops
