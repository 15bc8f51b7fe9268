#include "ops/run/options.h"

namespace lanewise::ops {

EvalContext context_for(const Options& options, Arena& arena) {
  EvalContext context;
  context.arena = &arena;
  context.target = options.target;
  context.tuning = options.tuning;
  context.budget = options.budget;
  context.cancellation = options.cancellation;
  return context;
}

Table run_on_cores(const plan::NodePtr& plan, const Options& options) {
  return options.on_cores(plan, options);
}

}  // namespace lanewise::ops
