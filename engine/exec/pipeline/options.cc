#include "exec/pipeline/options.h"

namespace lanewise::exec {

EvalContext context_for(const Options& options, Arena& arena) {
  EvalContext context;
  context.arena = &arena;
  context.target = options.target;
  context.tuning = options.tuning;
  context.budget = options.budget;
  context.cancellation = options.cancellation;
  return context;
}

}  // namespace lanewise::exec
