#pragma once

#include <memory>

#include "data/column.h"
#include "ops/results/results.h"
#include "ops/sink.h"
#include "ops/step.h"
#include "plan/pipeline/pipeline.h"

namespace lanewise::exec {

/// The operator of a streaming node.
struct StreamingOperator {
  std::unique_ptr<ops::Step> step;
  std::unique_ptr<ops::Expander> expander;  ///< instead of the step
};
/// `results` has those that the step reads.
StreamingOperator open_step(const plan::StepSpec& step, const ops::Results& results);

/// A join's build side, or a part of it. Throws InternalError if only a device has it.
std::shared_ptr<const ops::Build> build_of(const ops::Results& results, size_t pipeline, size_t part);

/// The operator that ends the pipeline.
std::unique_ptr<ops::Sink> open_sink(const plan::Pipeline& pipeline);

}  // namespace lanewise::exec
