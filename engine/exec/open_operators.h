#pragma once

#include <memory>

#include "data/column.h"
#include "exec/pipeline.h"
#include "ops/sink.h"
#include "ops/step.h"

namespace lanewise::exec {

/// The operator of a streaming node: a Filter, a Project.
std::unique_ptr<ops::Step> open_step(const plan::Node& node);

/// The operator that ends the pipeline.
std::unique_ptr<ops::Sink> open_sink(const Pipeline& pipeline);

}  // namespace lanewise::exec
