#pragma once

#include <string>
#include <vector>

#include "ops/run/options.h"
#include "plan/node.h"
#include "plan/pipeline/pipeline_text.h"

namespace lanewise::exec {

/// The pipelines of a plan.
std::vector<plan::PipelineText> explained_pipelines(const plan::NodePtr& root);

/// A line for each pipeline of a plan. With Options::device_views, the lines below it say where it would run,
/// with both estimates; with `kernels`, whether a GPU supports it, and the sources if it does.
std::string explain_pipelines(const plan::NodePtr& root, bool kernels, const ops::Options& options);

}  // namespace lanewise::exec
