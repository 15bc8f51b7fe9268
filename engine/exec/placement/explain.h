#pragma once

#include <string>
#include <vector>

#include "exec/pipeline/options.h"
#include "exec/pipeline/pipeline_text.h"
#include "plan/node.h"

namespace lanewise::exec {

/// The pipelines of a plan.
std::vector<PipelineText> explained_pipelines(const plan::NodePtr& root);

/// A line for each pipeline of a plan. With Options::device_view, the lines below it say where it would run,
/// with both estimates; with `kernels`, whether a GPU supports it, and the sources if it does.
std::string explain_pipelines(const plan::NodePtr& root, bool kernels, const Options& options);

}  // namespace lanewise::exec
